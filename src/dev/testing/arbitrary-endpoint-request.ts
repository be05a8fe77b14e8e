import fc from 'fast-check';
import { type Mood, NASTY, objectOf } from './arbitrary-request.ts';
import { type EndpointRow, PROCEDURES } from './endpoint-rows.ts';
import type { EndpointSetup, Sessions } from './endpoint-setup.ts';
import { register } from './password-client.ts';
import type { RawRequest } from './send-raw.ts';

const FORM = 'application/x-www-form-urlencoded';

/** All characters that a header value may contain. */
const headerText: fc.Arbitrary<string> = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
    .map((code) => String.fromCharCode(code)),
});
const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND');
const types = fc.constantFrom(
  'application/json',
  FORM,
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  '',
);
const seldom = <T>(usual: fc.Arbitrary<T>, strange: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: strange });

/** Bodies that no client sends. */
const strangeBodies: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.constantFrom<string | Uint8Array>(
    '',
    ' ',
    '{',
    '[]',
    'null',
    'true',
    '"text"',
    '1e400',
    '{"a":1,}',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"a":"\\u0000"}',
    '{"\\u0000":1}',
    '{"a":"\\ud800"}',
    '\ufeff{}',
    `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`,
    `{${Array.from({ length: 3000 }, (_, n) => `"${n}":1`).join()}}`,
    `{"${'\\u0001'.repeat(5000)}":1}`,
    '%',
    '%zz=%00',
    'a=1&a=2&a=3',
    '&'.repeat(5000),
    Uint8Array.of(0xff, 0xfe, 0x7b),
    Uint8Array.of(0xc3),
  ),
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: 'binary' }),
  fc.json({ maxDepth: 4 }),
);
const strangeQueries: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', 'input=', 'input={', 'input=%00', 'batch=1', 'batch=1&input=[]', 'batch=2', 'input=1&input=2'),
  fc.constantFrom(
    'callbackUrl=%',
    'callbackUrl=http%3A%2F%2F%5B',
    'callbackUrl=javascript%3Aalert(1)',
    'callbackUrl=x',
  ),
  fc.constantFrom(
    'error=%0d%0aSet-Cookie%3Aa',
    `error=${'e'.repeat(3000)}`,
    'nextauth=_log',
    'connectionParams=1',
    '__proto__=1',
  ),
  fc
    .tuple(fc.string(), fc.string())
    .map(([name, value]) => `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`),
);
const strangeHeaders = fc.dictionary(
  fc.constantFrom(
    'authorization',
    'cookie',
    'origin',
    'content-type',
    'idempotency-key',
    'user-agent',
    'accept',
    'trpc-accept',
    'x-carelane-portal',
    'x-forwarded-host',
    'x-middleware-subrequest',
    'stripe-signature',
    'x-acuity-signature',
    'access-control-request-method',
  ),
  fc.oneof(headerText, fc.constantFrom('application/jsonl', 'text/event-stream', 'Bearer ', 'Basic Og==', 'null')),
  { maxKeys: 3 },
);
const wellFormed = (text: string) => Buffer.from(text).toString('utf8');

type Text = fc.Arbitrary<string>;
/** The values that requests are built from; no request to the clinic itself is needed. */
export type RequestValues = Omit<EndpointSetup, 'clinic' | 'signIn'> & { clinic: { ctx: { tenantId: string } } };

const SRP = register('a long enough one');
const HANDSHAKE = `${'a'.repeat(22)}.${'b'.repeat(32)}`;
const TOKEN_TYPE = 'urn:carelane:params:oauth:token-type:patient-';

/** Valid values for fields that the REST API does not have, and for ids by the resource in the path. */
function hints({ path }: EndpointRow, values: RequestValues, { refreshToken }: Sessions): Mood['hints'] & object {
  const { clientIds, emails, password, csrf, known } = values;
  const client = path.includes('passwordless') ? clientIds.passwordless : clientIds.credentials;
  const ids = path.includes('subscription')
    ? known.subscriptionIds
    : path.includes('payments.')
      ? known.paymentIds
      : path.includes('cards.')
        ? known.cardIds
        : path.includes('appointment')
          ? known.appointmentIds
          : known.patientIds;
  return {
    id: fc.constantFrom(...ids),
    ids: fc.constantFrom(ids),
    subscription_id: fc.constantFrom(...known.subscriptionIds),
    client_id: seldom(fc.constant(client), fc.constantFrom(...clientIds.other)),
    email: fc.oneof(
      fc.constantFrom(...emails),
      fc.uuid().map((id) => `${id}@example.test`),
    ),
    phone_number: fc.integer({ min: 1000, max: 9999 }).map((line) => `+1202555${line}`),
    code: fc.constantFrom('123456', '000000'),
    attempt: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
    srp: fc.constant(SRP),
    A: fc.constant(SRP.verifier),
    M1: fc.constant('ab'.repeat(32)),
    handshake: fc.constantFrom(HANDSHAKE, 'a.b'),
    challenge: fc.constantFrom(HANDSHAKE, 'a.b'),
    continuation: fc.constantFrom(HANDSHAKE, 'a.b'),
    token: fc.constantFrom(HANDSHAKE, 'a.b', refreshToken),
    password: fc.constantFrom(password, 'wrong'),
    csrfToken: fc.constantFrom(csrf.token, 'forged'),
    callbackUrl: fc.constantFrom('/', '/patients', 'https://elsewhere.example.test', 'http://[', '%'),
    json: fc.constantFrom('true', 'false'),
    grant_type: fc.constantFrom(
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:token-exchange',
      'x',
    ),
    refresh_token: fc.constantFrom(refreshToken, 'a.b', 'x'),
    subject_token: fc.constantFrom(...known.patientIds, known.patientIds[0]!.toUpperCase(), 'ada@example.test'),
    subject_token_type: fc.constantFrom(`${TOKEN_TYPE}id`, `${TOKEN_TYPE}email`, 'x'),
    scope: fc.constantFrom('patients:read', 'everything', ''),
    attributes: fc.constantFrom({}, { first_name: 'Ada' }, { metadata: { a: [1] } }),
  };
}

/** Generates valid and invalid requests to one endpoint. */
export function arbitraryEndpointRequest(
  row: EndpointRow,
  values: RequestValues,
  sessions: Sessions,
): fc.Arbitrary<RawRequest> {
  return fc.boolean().chain((isWild) => {
    const mood: Mood = { known: values.known, isWild, hints: hints(row, values, sessions) };
    const request = requestOf(row, values, mood, sessions);
    return isWild ? request.chain(distort) : request;
  });
}

/** Occasionally replaces one or more parts of the request. */
const distort = (request: RawRequest): fc.Arbitrary<RawRequest> =>
  fc
    .record({
      method: seldom(fc.constant(request.method), methods),
      query: seldom(fc.constant(''), strangeQueries),
      rest: seldom(fc.constant(''), fc.constantFrom('/', '/x', '%2f', '%00', '%zz', '//', '/..', ';a=1')),
      headers: seldom(fc.constant({}), strangeHeaders),
      type: seldom(fc.constant(request.headers['content-type'] ?? ''), types),
      body: fc.oneof(
        { weight: 3, arbitrary: fc.constant(request.body) },
        { weight: 1, arbitrary: strangeBodies as fc.Arbitrary<string | Uint8Array | undefined> },
      ),
    })
    .map(({ method, query, rest, headers, type, body }) => {
      const [path = '', existingQuery] = request.path.split('?');
      const together = [existingQuery, query].filter(Boolean).join('&');
      return {
        method,
        path: `${path}${rest}${together ? `?${together}` : ''}`,
        headers: { ...request.headers, 'content-type': type, ...headers },
        body,
      };
    });

function requestOf(row: EndpointRow, values: RequestValues, mood: Mood, sessions: Sessions): fc.Arbitrary<RawRequest> {
  const input = row.schema ? objectOf(row.schema, mood) : fc.constant(undefined);
  return fc.tuple(input, proofOf(row, values, sessions)).chain(([value, proof]) => {
    const json = { method: row.method, path: row.path, headers: { 'content-type': 'application/json', ...proof } };
    const as = (path: string, body: string | undefined, headers = {}): fc.Arbitrary<RawRequest> =>
      fc.constant({ ...json, path, headers: { ...json.headers, ...headers }, body });
    switch (row.kind) {
      case 'bare':
        return as(row.path, undefined);
      case 'json':
        return as(row.path, JSON.stringify(value));
      case 'form':
        return as(row.path, formOf(value), { 'content-type': FORM });
      case 'trpc': {
        const sent = JSON.stringify(value);
        if (row.method === 'POST') return as(row.path, sent);
        return as(
          sent === undefined ? row.path : `${row.path}?input=${encodeURIComponent(wellFormed(sent))}`,
          undefined,
        );
      }
      case 'trpc batch':
        return batch().map((call) => ({ ...json, ...call }));
      case 'stripe':
        return events(values).map((body) => ({
          ...json,
          body,
          headers: { ...json.headers, 'stripe-signature': values.signStripe(body) },
        }));
      case 'acuity':
        return changes().map(({ body, isUpper }) => {
          const id = values.clinic.ctx.tenantId;
          const path = row.path.replace('{tenant}', isUpper ? id.toUpperCase() : id);
          return {
            ...json,
            path,
            body,
            headers: { 'content-type': FORM, 'x-acuity-signature': values.signAcuity(body) },
          };
        });
    }
  });
}

const formOf = (value: unknown): string =>
  new URLSearchParams(
    Object.entries(value ?? {}).map(([name, one]) => [
      name,
      wellFormed(typeof one === 'string' ? one : (JSON.stringify(one) ?? '')),
    ]),
  ).toString();

const batch = (): fc.Arbitrary<{ path: string; body: string }> =>
  fc
    .array(fc.tuple(fc.constantFrom(...PROCEDURES.map(([name]) => name), 'no.thing', ''), NASTY), { maxLength: 22 })
    .map((calls) => ({
      path: `/api/trpc/${calls.map(([name]) => name).join(',')}?batch=1`,
      body: JSON.stringify(Object.fromEntries(calls.map(([, value], index) => [index, value]))),
    }));

const events = ({ known }: RequestValues): Text =>
  fc
    .record({
      id: fc.oneof(
        fc.uuid().map((id) => `evt_${id}`),
        NASTY,
      ),
      object: fc.constant('event'),
      type: seldom<unknown>(fc.constantFrom('customer.subscription.updated', 'invoice.paid', 'account.updated'), NASTY),
      account: seldom<unknown>(fc.constantFrom('acct_1', 'acct_2'), NASTY),
      livemode: seldom<unknown>(fc.constant(false), NASTY),
      data: seldom<unknown>(
        fc.record({
          object: seldom<unknown>(
            fc.record({ id: fc.constantFrom(...known.subscriptionIds, 'sub_x'), object: fc.constant('subscription') }),
            NASTY,
          ),
        }),
        NASTY,
      ),
    })
    .map((event) => JSON.stringify(event));

const changes = () =>
  fc.record({
    isUpper: fc.boolean(),
    body: fc
      .record({
        action: fc.constantFrom('changed', 'appointment.changed', 'order.completed', '', 'x'.repeat(80)),
        id: fc.oneof(fc.integer().map(String), fc.string()),
      })
      .map((fields) => formOf(fields)),
  });

function proofOf(
  { proof }: EndpointRow,
  values: RequestValues,
  { cookie, accessToken }: Sessions,
): fc.Arbitrary<Record<string, string>> {
  const { clientId, clientSecret } = values.application;
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  switch (proof) {
    case 'none':
      return fc.constant({});
    case 'bearer':
      return seldom<Record<string, string>>(
        fc.constant({ authorization: `Bearer ${accessToken}` }),
        fc.constantFrom({}, ...values.otherTokens.map((token) => ({ authorization: `Bearer ${token}` }))),
      );
    case 'client':
      return fc.constantFrom<Record<string, string>>({ authorization: basic }, { authorization: basic }, {});
    case 'staff':
      return seldom<Record<string, string>>(
        fc.constant({ cookie, 'x-carelane-portal': '1' }),
        fc.constantFrom({ cookie }, {} as Record<string, string>),
      );
    case 'csrf':
      return fc.constantFrom<Record<string, string>>(
        { cookie: values.csrf.cookie },
        { cookie: `${values.csrf.cookie}; ${cookie}` },
        { cookie: 'next-auth.callback-url=%; next-auth.csrf-token=x; next-auth.session-token.0=%E0%A4%A' },
      );
  }
}
