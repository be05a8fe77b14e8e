import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import { ATTEMPT, register, signInWithPassword } from './password-client.ts';
import type { Answer, SignInBench } from './patient-sign-in.ts';

export const PASSWORD = 'correct horse battery staple';

type Clinic = Awaited<ReturnType<SignInBench['tenant']>>;
/** The tokens of a sign-in, with the secret that its device keeps from now on. */
export type SignedIn = WireTokens & { device: string };

export const errorOf = ({ status, body }: Answer) => [status, body?.errors?.[0]?.code];

/** People who sign up and in over the wire, each with an address that nobody had before. */
export function signedIn(bench: SignInBench, clinic: Clinic, name = 'bob') {
  const { credentials, passwordless } = clinic;
  let count = 0;
  const newEmail = () => `${name}${++count}@example.test`;
  const newNumber = () => `+1310555${String(1000 + ++count)}`;
  const signIn = (email: string, password = PASSWORD) => signInWithPassword(bench, credentials, email, password);
  return {
    newEmail,
    newNumber,
    /** By password; the answer, whatever it is. */
    signIn,
    async byEmail(email = newEmail(), password = PASSWORD): Promise<SignedIn> {
      await bench.post('/credentials/sign_up', {
        client_id: credentials,
        email,
        attempt: ATTEMPT,
        srp: register(password),
      });
      const code = await bench.codeFor(email);
      await bench.post('/credentials/confirm', { client_id: credentials, email, attempt: ATTEMPT, code });
      return (await signIn(email, password)).body;
    },
    async byPhone(phone_number = newNumber(), device?: string, headers = {}): Promise<SignedIn> {
      await bench.post('/passwordless/sign_up', { client_id: passwordless, phone_number, attempt: ATTEMPT });
      return this.byText(phone_number, device, headers);
    },
    /** Somebody who signed up before. */
    async byText(phone_number: string, device?: string, headers = {}): Promise<SignedIn> {
      const asked = await bench.post('/passwordless/sign_in', { client_id: passwordless, phone_number }, { headers });
      const code = await bench.codeFor(phone_number);
      return (await bench.post('/passwordless/complete', { challenge: asked.body.challenge, code, device })).body;
    },
    /** A call below `/identity/user`. */
    as: (
      { access_token: token }: Pick<WireTokens, 'access_token'>,
      method: string,
      path: string,
      body?: object,
      headers = {},
    ) => bench.call(method, `/identity/user${path}`, body, { token, headers }),
  };
}
