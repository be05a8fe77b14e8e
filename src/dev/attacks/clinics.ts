import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import type { Source } from './source.ts';
import type { AttackTarget } from './target.ts';

const EVIL = 'evil.example.test';
/**
 * Requests that read or change a sandbox's emulators; Stripe's script calls any origin may send, but they need its
 * keys.
 */
const EMULATED: ['inbox' | 'acuity' | 'stripe', string, string][] = [
  ['inbox', 'GET', '/'],
  ['inbox', 'GET', '/messages'],
  ['inbox', 'GET', '/messages/nothing'],
  ['inbox', 'DELETE', '/messages'],
  ['inbox', 'POST', '/2010-04-01/Accounts/AC0/Messages.json'],
  ['inbox', 'GET', '/_emulator/state'],
  ['acuity', 'GET', '/'],
  ['acuity', 'GET', '/api/v1/me'],
  ['acuity', 'GET', '/_emulator/state'],
  ['stripe', 'GET', '/_emulator/state'],
  ['stripe', 'POST', '/_emulator/faults'],
];

async function assertEachRejected(target: AttackTarget, headers: Record<string, string>): Promise<void> {
  const source: Source = target.newSource();
  for (const [emulator, method, path] of EMULATED) {
    const response = await source.send(method, new URL(target.card.emulators[emulator]).origin + path, { headers });
    assertHolds(response.status === 403, `${method} ${emulator} ${path}: ${response.status}`);
    const shared = response.headers.get('access-control-allow-origin');
    assertHolds(shared === null, `${method} ${emulator} ${path} is shared with ${shared}`);
  }
}

/**
 * Attacks of one clinic on another, and of a website on a sandbox. Row isolation is tested in
 * `src/dev/testing/rls.db.test.ts`.
 */
export const CLINICS: Group = {
  title: 'another clinic, or a staff user with fewer rights',
  attacks: [
    {
      name: "requests a password reset for another clinic's administrator and reads it in its own inbox",
      async run(target) {
        const { clinic, other, mailbox } = target;
        const { email } = await clinic.colleague('admin');
        const { token } = await other.application(['patients:write']);
        const created = await target.api(token, 'POST', '/patients', { email, first_name: 'Ada' });
        assertHolds(created.status === 201, `the attack could not be prepared: ${created.text}`);
        await target.link(target.newSource(), 'staffLinks.requestReset', { email });
        await mailbox.tokenFor(email, 'reset-password');
        const seenBy = async (one: typeof clinic, as = one.admin) => {
          const response = await one.portal('GET', 'inbox.list', { search: email }, as);
          assertHolds(response.status === 200, `the inbox cannot be read: ${response.text.slice(0, 200)}`);
          const items: { text: string }[] = response.body.result.data.items;
          return items.filter(({ text }) => /reset-password/.test(text)).length;
        };
        assertHolds((await seenBy(other)) === 0, 'the link to set a new password is shown to another clinic');
        assertHolds((await seenBy(clinic)) === 1, 'its own clinic does not see it');
        const practitioner = await clinic.colleague('practitioner');
        assertHolds((await seenBy(clinic, practitioner)) === 0, 'it is shown to a practitioner');
      },
    },
    {
      name: 'reads and changes a patient of another clinic',
      async run(target) {
        const { clinic, other } = target;
        const owner = await clinic.people.byPhone(target.newNumber());
        const application = await other.application(['admin']);
        for (const [method, path, body] of [
          ['GET', ''],
          ['PATCH', '', { first_name: 'Mallory' }],
          ['POST', '/invite', {}],
          ['DELETE', '/archive'],
        ] as [string, string, object?][]) {
          const response = await target.api(application.token, method, `/patients/${owner.id}${path}`, body);
          assertHolds(response.status === 404, `${method} ${path}: ${response.status}`);
        }
        const impersonated = await target.impersonate(application, owner.id).catch(() => null);
        assertHolds(impersonated === null, 'a token for a patient of another clinic was given');
      },
    },
    {
      name: 'calls an emulator from a website whose domain resolves to this machine',
      run: (target) => assertEachRejected(target, { host: EVIL }),
    },
    {
      name: "calls an emulator from a website's origin",
      run: (target) => assertEachRejected(target, { origin: `https://${EVIL}` }),
    },
    {
      name: 'calls an emulator from a page that is framed or fetched without an origin',
      run: (target) => assertEachRejected(target, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }),
    },
    {
      name: 'reads more of the integrations than their status as a practitioner',
      async run(target) {
        const connected = await target.clinic.portal('POST', 'integrations.connectStripe', {});
        assertHolds(connected.status === 200, `Stripe could not be connected: ${connected.text.slice(0, 200)}`);
        const integrations = await target.clinic.portal('GET', 'integrations.list', {});
        assertHolds(
          /acct_/.test(integrations.text),
          'the response to the administrator is empty, so the comparison proves nothing',
        );
        const practitioner = await target.clinic.colleague('practitioner');
        const response = await target.clinic.portal('GET', 'integrations.list', {}, practitioner);
        assertHolds(response.status === 200, `integrations.list: ${response.status}`);
        for (const { provider, status, ...rest } of response.body.result.data) {
          assertHolds(Boolean(provider && status), 'it does not even say how they are');
          const exposed = Object.entries(rest).filter(
            ([, value]) => value !== null && Object.keys(value as object).length > 0,
          );
          assertHolds(exposed.length === 0, `${provider}: ${JSON.stringify(exposed)}`);
        }
        for (const name of ['integrations.connectStripe', 'applications.create', 'team.invite']) {
          const changed = await target.clinic.portal('POST', name, {}, practitioner);
          assertHolds(changed.status >= 400 && changed.status < 500, `${name}: ${changed.status}`);
        }
      },
    },
  ],
};
