import { newAttempt, register } from '../testing/password-client.ts';
import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import type { AttackTarget } from './target.ts';

const GOOD = 'seven quiet rivers';

/**
 * Registrations of a client without password rules; the other ways to register are in `srp/weak-passwords.db.test.ts`.
 */
export const WEAK_PASSWORDS: Group = {
  title: 'a third-party client registers',
  attacks: [
    ...(
      [
        ['no password at all', () => ''],
        ['the email address as the password', (email: string) => email],
        ['the name in the email address', (email: string) => email.split('@')[0]!],
        ['123456', () => '123456'],
      ] as [string, (email: string) => string][]
    ).map(([what, of]) => ({
      name: what,
      async run(target: AttackTarget) {
        const { people } = target.clinic;
        const email = target.newEmail();
        const body = { client_id: people.ids.credentials, email, attempt: newAttempt(), srp: register(of(email)) };
        const response = await people.post(target.newSource(), '/credentials/sign_up', body);
        const pointer = response.body?.errors?.[0].source?.pointer;
        assertHolds(response.status === 422 && pointer === '/srp/verifier', `${response.status} ${response.text}`);
      },
    })),
    {
      name: 'sends invalid verifiers, and scrypt parameters that are too weak or too expensive',
      async run(target) {
        const { people } = target.clinic;
        const good = register(GOOD);
        const long = (digits: string) => digits.padStart(good.verifier.length, '0');
        for (const srp of [
          { ...good, verifier: long('0') },
          { ...good, verifier: long('1') },
          { ...good, verifier: 'f'.repeat(good.verifier.length) },
          { ...good, kdf: { ...good.kdf, N: 1024 } },
          { ...good, kdf: { ...good.kdf, N: 2 ** 20 } },
          { ...good, salt: '00' },
        ]) {
          const body = { client_id: people.ids.credentials, email: target.newEmail(), attempt: newAttempt(), srp };
          const response = await people.post(target.newSource(), '/credentials/sign_up', body);
          assertHolds(
            response.status === 422 || response.status === 400,
            `${response.status} for ${JSON.stringify(srp).slice(-120)}`,
          );
        }
      },
    },
  ],
};
