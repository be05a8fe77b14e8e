import Link from 'next/link';
import type { Deployment, Guide } from './guide-section.tsx';
import { Paragraph, Points, WordList } from './prose.tsx';

const byTextMessage = (environment: string) => `import { passwordless } from '@carelane/auth-sdk';

const { baseUrl } = passwordless.configure('care_${environment}_…');

await passwordless.signUp('(202) 555-0123', { first_name: 'Ada' });
const waiting = await passwordless.signIn('(202) 555-0123');
await passwordless.completeSignIn(waiting, '123456');`;

const byPassword = (environment: string) => `import { credentials } from '@carelane/auth-sdk';

credentials.configure('care_${environment}_…');

await credentials.signUp('ada@example.test', 'seven quiet rivers');
await credentials.confirmSignUp('ada@example.test', '123456');
await credentials.signIn('ada@example.test', 'seven quiet rivers');`;

const CALL = `import { user } from '@carelane/auth-sdk';

const token = await user.getAccessToken();
const answer = await fetch(\`\${baseUrl}/patients/me\`, {
  headers: { Authorization: \`Bearer \${token}\` },
});`;

const OWN_PAGE = `import { credentials } from '@carelane/auth-sdk';

// https://app.example.org/invitation#care_…
credentials.configure(location.hash.slice(1));

await credentials.completeInvitationAndSetPassword(email, temporaryPassword, newPassword);`;

const GROUPS = [
  { name: 'passwordless', meaning: 'Sign-up and sign-in by a code in a text message.' },
  { name: 'credentials', meaning: 'By email and password, which never leaves the device (SRP); invitations; resets.' },
  { name: 'user', meaning: 'Tokens refreshed for 30 days, email, phone number, password, signing out.' },
  { name: 'machineToMachine, impersonation', meaning: 'The tokens above, in Node only.' },
];

/** How patients' apps sign in. */
export function patientGuides({ environment }: Deployment): Guide[] {
  return [
    {
      anchor: 'patients-app',
      title: 'A patient’s app',
      body: (
        <>
          <Paragraph>
            Apps sign patients in with our JavaScript SDK, `@carelane/auth-sdk`, for browsers, React Native and Node,
            and then call this API with the patient’s own token.
          </Paragraph>
          <Points
            items={[
              'Copy the configuration token of your flow from the portal, API credentials. It is public and may ship in the app.',
              'A patient that signs up is the same Patient that this API shows.',
              'Ask for the token before each call: it is kept, shared by tabs and refreshed silently, for 30 days.',
              'The SDK’s README lists every function and error; its PROTOCOL.md is for other languages.',
            ]}
          />
          <WordList words={GROUPS} />
          {environment === 'sandbox' && (
            <p>
              See it work, with the code of each step beside it, in the{' '}
              <Link href="/playground" className="text-accent-ink underline underline-offset-2">
                playground
              </Link>
              .
            </p>
          )}
        </>
      ),
      examples: [
        { title: 'By text message', code: byTextMessage(environment) },
        { title: 'By email and password', code: byPassword(environment) },
        { title: 'Calling the API', code: CALL },
      ],
    },
    {
      anchor: 'invitations',
      title: 'Invitations and your own pages',
      body: (
        <>
          <Paragraph>
            {
              'A patient made by `POST /patients` never signs in by itself. `POST /patients/invite` makes one who is invited; `POST /patients/{id}/invite` invites one who is there already, again if need be. Both need an administrator’s word, given once in the portal.'
            }
          </Paragraph>
          <Points
            items={[
              'By email, the patient gets a temporary password and a link; by a phone number alone, a text.',
              'The link leads to our own page, or to yours: set its address under API credentials, or give `confirmation_url` (for a mail) and `passwordless_login_url` (for a text) with an invitation. It lies on one of your allowed origins, and counts while that is listed.',
              'A mail’s link brings the configuration token in its fragment, and nothing else: no code, no address, no password. A text’s link brings nothing, for your app has its token.',
              'Mails with a code, for a new account or a forgotten password, lead to pages of yours too once you name them, and to none before.',
            ]}
          />
        </>
      ),
      examples: [{ title: 'Your page for invitations', code: OWN_PAGE }],
    },
  ];
}
