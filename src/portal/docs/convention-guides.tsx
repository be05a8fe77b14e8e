import { ERRORS } from '#contract/errors.ts';
import type { Deployment, Guide } from './guide-section.tsx';
import { Paragraph, Points, WordList } from './prose.tsx';

const list = (baseUrl: string) => `curl -i -G ${baseUrl}/patients \\
  -H "Authorization: Bearer $TOKEN" \\
  -d size=50`;

const LIST_HEADERS = `Link: <…/patients?size=50&starting_after=01936f4b-82d7-7c19-a3e5-6b0f94d2c817>; rel="next"`;

const filter = (baseUrl: string) => `curl -G ${baseUrl}/patients \\
  -H "Authorization: Bearer $TOKEN" \\
  --data-urlencode 'filters[]={"field":"age","operator":"gteq","value":18}' \\
  --data-urlencode 'filters[]={"field":"tags","operator":"eq","value":"newsletter"}'`;

const ERROR = `{
  "errors": [
    {
      "status": "422",
      "code": "invalid_parameter",
      "title": "Invalid parameter",
      "detail": "\\"birth_date\\": there is no 31 February 1990.",
      "source": { "pointer": "/birth_date" }
    }
  ],
  "request_id": "01936f60-1b2c-7d3e-8f4a-5b6c7d8e9f01"
}`;

const OPERATORS = [
  { name: 'eq, not_eq', meaning: 'Equal or not. For every field.' },
  { name: 'in, not_in', meaning: 'Any or none of an array. For every field.' },
  { name: 'matches, does_not_match', meaning: 'A part of the text, in any case of letters. For texts.' },
  { name: 'gt, gteq, lt, lteq', meaning: 'Greater, less. For times and numbers.' },
];

/** What holds for all endpoints. */
export function conventionGuides({ environment, baseUrl, requestsPerMinute }: Deployment): Guide[] {
  return [
    {
      anchor: 'conventions',
      title: 'Requests and answers',
      body: (
        <Points
          items={[
            'JSON both ways, `snake_case`, UTF-8. A body may be wrapped in its singular name: `{"patient": {…}}`.',
            'Our ids are UUIDs. Ids of things that live at a provider are the provider’s: `sub_…`, `price_…`, integers of calendars and appointment types.',
            'Times are RFC 3339. Stamps such as `created_at` are in UTC; times of appointments bear their calendar’s offset. Any offset is taken.',
            'Money is in minor units (cents), with its `currency` beside it.',
            'A patient reaches its own records only; any other is `not_found`, as if it were not there. So is an id in an address that is none at all.',
            'An unknown field, parameter or filter is refused with its name, never passed over.',
            '`200` for a reading or an action, `201` with `Location` for something new. Each answer has a `Request-Id`.',
          ]}
        />
      ),
    },
    {
      anchor: 'lists',
      title: 'Lists and pages',
      body: (
        <>
          <Paragraph>A list is a bare array, newest first unless its endpoint says otherwise.</Paragraph>
          <Points
            items={[
              'Follow `rel="next"` of the `Link` header until there is none. It stays as fast on the last page as on the first.',
              '`starting_after` and `ending_before` take the `id` of an entry; `size` is 20 unless said.',
              'Our own lists also take `page`, from 1: the headers `Total-Count`, `Total-Pages`, `Current-Page` and `Page-Items` come with it.',
              '`with_total=true` adds `Total-Count` to a page by cursor, counted up to 10,000; beyond, `Total-Count-Capped: true` stands beside it.',
            ]}
          />
        </>
      ),
      examples: [
        { title: 'Request', code: list(baseUrl) },
        { title: 'Header of the answer', code: LIST_HEADERS },
      ],
    },
    {
      anchor: 'filters',
      title: 'Filters',
      body: (
        <>
          <Paragraph>
            {
              'Repeat `filters[]`, each a URL-encoded `{"field","operator","value"}`; `filters_operator=or` asks for any of them instead of all. `by_<field>` is short for one of several values.'
            }
          </Paragraph>
          <WordList words={OPERATORS} />
        </>
      ),
      examples: [{ title: 'Request', code: filter(baseUrl) }],
    },
    {
      anchor: 'idempotency',
      title: 'Retrying safely',
      body: (
        <>
          <Paragraph>
            Send an `Idempotency-Key` of your own, up to 255 characters, with a POST, and the same one when you try
            again.
          </Paragraph>
          <Points
            items={[
              'The first answer is kept for 24 hours and given again, with `Idempotent-Replayed: true`.',
              'Answers of 500 and above are not kept, nor refusals that pass by themselves, as `conflict`, `slot_taken` and `rate_limited` do: the same request under the same key tries again.',
              'What was done is noted together with the doing: also after an answer that was lost, the same key does nothing twice.',
              'Another request under the same key is `idempotency_key_reused`; one while the first still runs is `idempotency_key_in_use`.',
              'Without a key, booking or subscribing again with equal input within ten minutes is answered with the first visit or subscription while it is live, also with `Idempotent-Replayed: true`. A new key always means a new one.',
            ]}
          />
        </>
      ),
    },
    {
      anchor: 'rate-limits',
      title: 'Rate limits',
      body: (
        <Paragraph>
          {`${requestsPerMinute.toLocaleString('en-US')} requests a minute for each credential. \`RateLimit\` says how many are left and for how many seconds; beyond them the answer is 429, and \`Retry-After\` says how long to wait.`}
        </Paragraph>
      ),
    },
    {
      anchor: 'browsers',
      title: 'Calls from a browser',
      body: (
        <>
          <Paragraph>
            A page may call this API and the auth server from a browser (CORS) if its website is among the allowed
            origins, which an admin lists in the portal under API credentials.
          </Paragraph>
          <Points
            items={[
              'An origin is scheme, name and port: `https://app.example.org`. Each name counts by itself; there are no wildcards.',
              'It reads the answers of the clinic that lists it and no other’s, whatever token it sends.',
              'A change of the list counts within a second; what a browser may send, it remembers for 10 minutes.',
              'Tokens go into `Authorization`. No cookies are used, so do not send `credentials`.',
              ...(environment === 'sandbox'
                ? ['This is a sandbox: pages on your own machine (`http://localhost:5173`) need no entry.']
                : []),
            ]}
          />
        </>
      ),
    },
    {
      anchor: 'errors',
      title: 'Errors',
      body: (
        <>
          <Paragraph>
            One object for each field that is wrong, with the first rule that it breaks. Rely on `code`; `detail` is for
            people. `source` names the field of the body (`pointer`) or the parameter that is to blame.
          </Paragraph>
          <WordList
            words={Object.entries(ERRORS).map(([name, { status, meaning }]) => ({
              anchor: `error-${name}`,
              name,
              meaning: `${status}. ${meaning}`,
            }))}
          />
        </>
      ),
      examples: [{ title: 'Answer 422', code: ERROR }],
    },
  ];
}
