import type { AddressChangeView } from '#contract/address-changes.ts';
import type { SignInBench } from './patient-sign-in.ts';
import type { SignedIn, signedIn } from './signed-in.ts';

/** The page's content, with the status of its response. */
export type AddressChangeResponse = { status: number; body: AddressChangeView };

/** Changes a patient's address, and opens the pages that undo a change. */
export function addressChanges(bench: SignInBench, people: ReturnType<typeof signedIn>) {
  const post = async (path: string, token: string): Promise<AddressChangeResponse> =>
    bench.call('POST', `/api/links/addressChanges.${path}`, { token });
  return {
    /**
     * Changes the email or number from a known device. @returns the undo token sent to the former address, '' if there
     * was none
     */
    async move(patient: SignedIn, to: string): Promise<string> {
      const { device } = patient;
      const kind = to.startsWith('+') ? 'phone' : 'email';
      const before = (await people.as(patient, 'GET', '')).body[kind === 'phone' ? 'phone_number' : 'email'];
      await people.as(patient, 'PATCH', `/${kind}`, {
        ...(kind === 'phone' ? { phone_number: to } : { email: to }),
        device,
      });
      const code = await bench.codeFor(to);
      const verified = await people.as(patient, 'POST', `/${kind}/verify`, { code, device });
      if (verified.status !== 200) throw new Error(`not moved: ${JSON.stringify(verified.body)}`);
      return before ? this.linkTo(before) : '';
    },
    /** Returns the undo token in the newest message to an address. */
    async linkTo(address: string): Promise<string> {
      await bench.settled();
      const [newest] = await bench.messages(address);
      return newest?.text.match(/\/undo#(\S+)/)?.[1] ?? '';
    },
    open: (token: string) => post('open', token),
    undo: (token: string) => post('undo', token),
  };
}
