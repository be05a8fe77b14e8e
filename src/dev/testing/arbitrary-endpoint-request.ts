import fc from 'fast-check';
import { type Mood, NASTY, objectOf } from './arbitrary-request.ts';
import {
  FORM,
  methods,
  seldom,
  strangeBodies,
  strangeHeaders,
  strangeQueries,
  types,
  wellFormed,
} from './arbitrary-strange-parts.ts';
import { type EndpointRow, PROCEDURES } from './endpoint-rows.ts';
import type { EndpointSetup, Sessions } from './endpoint-setup.ts';
import { register } from './password-client.ts';
import type { RawRequest } from './send-raw.ts';

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
