import { SCOPES } from '#contract/scopes.ts';
import { SCOPE_NAMES } from '../credentials/scope-names.ts';
import { CopyField } from '../ui/copy-field.tsx';
import type { Deployment, Guide } from './guide-section.tsx';
import { Paragraph, Points, WordList } from './prose.tsx';

const token = (url: string) => `TOKEN=$(curl -s -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  ${url} | jq -r .access_token)`;

const TOKEN_ANSWER = `{
  "access_token": "eyJhbGciOiJFUzI1NiIs…",
  "token_type": "Bearer",
  "expires_in": 3600,
  "scope": "patients:read patients:write"
}`;

const exchange = (url: string) => `TOKEN=$(curl -s -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=urn:ietf:params:oauth:grant-type:token-exchange \\
  -d subject_token_type=urn:carelane:params:oauth:token-type:patient-email \\
  --data-urlencode subject_token=ada@example.test \\
  ${url} | jq -r .access_token)`;

/** Where the service is and how to be let in. */
export function startGuides({ environment, baseUrl, tokenUrl }: Deployment): Guide[] {
  return [
    {
      anchor: 'addresses',
      title: 'Addresses',
      body: (
        <>
          <CopyField label="Base URL" value={baseUrl} />
          <CopyField label="Token URL" value={tokenUrl} />
          <Paragraph>
            {`This is a ${environment} deployment. Tokens and credentials of another environment are refused with \`wrong_environment\`.`}
          </Paragraph>
        </>
      ),
    },
    {
      anchor: 'token',
      title: 'Getting a token',
      body: (
        <>
          <Paragraph>
            A server application trades its client id and secret for an access token: OAuth 2.0 client credentials (RFC
            6749). An admin makes both in the portal, under API credentials.
          </Paragraph>
          <Points
            items={[
              'Send id and secret by HTTP Basic, or as `client_id` and `client_secret` in the form; not both.',
              'A token is good for 60 minutes. There is no refresh token: ask for a new one.',
              'Leave `scope` out for all scopes of the application, or name fewer.',
              'Send the token with each call: `Authorization: Bearer <token>`.',
            ]}
          />
          <Paragraph>The scopes, and what they let an application do:</Paragraph>
          <WordList words={SCOPES.map((name) => ({ name, meaning: SCOPE_NAMES[name] }))} />
        </>
      ),
      examples: [
        { title: 'Request', code: token(tokenUrl) },
        { title: 'Answer 200', code: TOKEN_ANSWER },
      ],
    },
    {
      anchor: 'impersonation',
      title: 'Acting for a patient',
      body: (
        <>
          <Paragraph>
            With the scope `patients:impersonate`, an application gets a token of one of its patients: OAuth 2.0 token
            exchange (RFC 8693). This is how a patient that your application has created is reached.
          </Paragraph>
          <Points
            items={[
              '`subject_token` is an email, or a patient id with the type `urn:carelane:params:oauth:token-type:patient-id`.',
              'The token does what the signed-in patient may do, on that patient’s records only: any other is `not_found`.',
              'For a patient who does not sign in that includes the email address and the phone number, at `/identity/user`; codes go to the new one.',
              'How a patient signs in who does (or was invited, or has yet to confirm) is changed by them alone: email, phone number and password are `forbidden`.',
              'It is good for 60 minutes and cannot be refreshed. Leave `scope` out.',
              'Each exchange, and each call, is in the audit log under both names.',
            ]}
          />
        </>
      ),
      examples: [{ title: 'Request', code: exchange(tokenUrl) }],
    },
  ];
}
