import fc from 'fast-check';
import { PATIENT_FILTER_FIELDS } from '#contract/list-patients.ts';
import type { Route } from '#contract/routes.ts';
import type { RestRequest } from './rest-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked by name
type Schema = any;
type Value = fc.Arbitrary<unknown>;

/** Existing ids, so that some requests get further than `not_found`. */
export type Known = {
  patientIds: string[];
  subscriptionIds: string[];
  paymentIds: string[];
  appointmentIds: string[];
  /** Appointments that have started. */
  begunIds: string[];
  practitionerIds: string[];
  eventIds: string[];
  taskIds: string[];
  webhookIds: string[];
  deliveryIds: string[];
  priceIds: string[];
  /** Cards of the first patient. */
  cardIds: string[];
  /** Stripe subscriptions of customers without a patient, and patients that they can be attached to. */
  unknownIds: string[];
  newPatientIds: string[];
  /** Acuity bookings without a patient. */
  unmatchedIds: string[];
  /** Messages of the first appointments. */
  messageIds: string[];
  accountId: string;
  acuity: { userId: string; apiKey: string };
  /** URLs that a provider's page may return to. */
  pages: string[];
  numbers: number[];
  times: string[];
};

/** Values that are known to break services. */
export const NASTY: Value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '%',
    '_',
    '\\',
    '%00',
    "'; drop table patients; --",
    '{{7*7}}',
    '../..',
    'x'.repeat(5000),
    '\u202e',
    '𝕬',
    'NaN',
    'Infinity',
    '-0',
    '0x10',
    '1e400',
    -1,
    0,
    0.5,
    1e308,
    -1e308,
    2 ** 31,
    2 ** 53,
    2 ** 63,
    '9999-12-31T23:59:59-23:59',
    '0000-01-01',
    '0001-01-01T00:00:00+23:59',
    '2016-12-31T23:59:60Z',
    '2027-02-29',
    [],
    {},
    [[]],
    [null],
    { __proto__: null },
    { constructor: { prototype: {} } },
    { toString: 1 },
    { id: {} },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
/** The OpenAPI document states rules over several fields in prose only, so one of those fields is always sent. */
const ALWAYS_SENT: Record<string, string[]> = {
  'POST /patients/invite': ['email'],
  'POST /webhook_endpoints/{id}/replay': ['after_sequence'],
  'POST /integrations/acuity': ['user_id', 'api_key'],
  // Every patient has something active by then, so archiving needs `end_care`.
  'DELETE /patients/{id}/archive': ['end_care'],
};

/**
 * Half of the requests are valid; in the wild half any value may be replaced. `hints` are generators for more fields.
 */
export type Mood = { known: Known; isWild: boolean; hints?: Record<string, fc.Arbitrary<unknown>> };
const maybe = (value: Value, { isWild }: Mood): Value =>
  isWild ? fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: NASTY }) : value;

const strings = fc.constantFrom<unknown>('Ada', 'a', '%', '', 'ada@example.test');
const instants = fc.constantFrom<unknown>('2026-11-21', '2026-11-21T10:00:00+14:00', '0001-01-01T00:00:00+23:00');
const ordered = ['eq', 'not_eq', 'gt', 'gteq', 'lt', 'lteq'];
const matched = ['eq', 'not_eq', 'matches', 'does_not_match'];

const goodFilter = fc.constantFrom(...Object.entries(PATIENT_FILTER_FIELDS)).chain(([field, kind]) => {
  const value: Value = kind === 'string' ? strings : kind === 'integer' ? fc.integer() : instants;
  const operators = fc.constantFrom(...(kind === 'string' ? matched : ordered));
  return fc.oneof(
    fc.record({ field: fc.constant(field), operator: operators, value }),
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom('in', 'not_in'),
      value: fc.array(value, { minLength: 1, maxLength: 3 }),
    }),
  );
});
const wildFilter = fc.record({
  field: fc.constantFrom(...Object.keys(PATIENT_FILTER_FIELDS), 'nothing'),
  operator: fc.constantFrom(...ordered, ...matched, 'in', 'not_in', 'like'),
  value: fc.oneof(strings, fc.integer(), instants, fc.array(fc.string()), NASTY),
});

/** Valid values for fields whose schema does not describe them, with some invalid ones for the wild half. */
const hintsFor = ({ known, isWild, hints }: Mood): Record<string, Value> => {
  const one = (good: unknown[], bad: unknown[] = []): Value => fc.constantFrom(...good, ...(isWild ? bad : []));
  return {
    patient_id: one(known.patientIds),
    practitioner_id: one(known.practitionerIds, known.patientIds),
    // The payment amounts to 49.00.
    amount: one([1, 100, 300], [4901, 0]),
    starting_after: one(known.patientIds, [...known.priceIds, ...known.numbers]),
    ending_before: one(known.patientIds, known.appointmentIds),
    price_ids: fc.array(one(known.priceIds, ['price_unknown']), { minLength: 1, maxLength: isWild ? 3 : 1 }),
    promotion_code: one(['NOPE']),
    // A Stripe account or an Acuity account.
    account_id: one([known.accountId, known.acuity.userId], ['acct_another', '1']),
    user_id: one([known.acuity.userId], ['unknown']),
    api_key: one([known.acuity.apiKey], ['none']),
    credentials: one([known.acuity.userId], ['unknown']),
    credentials_secret: one([known.acuity.apiKey], ['none']),
    success_url: one(known.pages, ['https://elsewhere.example.com/', 'javascript:alert(1)']),
    cancel_url: one(known.pages, ['https://elsewhere.example.com/']),
    appointment_type_id: one([known.numbers[0]], known.numbers),
    calendar_id: one([known.numbers[1]], known.numbers),
    from_date: one(known.times, ['2020-01-01', '2099-01-01T00:00:00Z']),
    to_date: one(known.times),
    number: one(['+12025550101', '(202) 555-0102', '+442079460958'], ['12']),
    phone_number: one(['+12025550101', '202 555 0102'], ['12']),
    language: one(['de', 'es-US', 'ZH-hant'], ['english', 'de_AT', 'xx']),
    time_zone: one(['America/New_York', 'UTC', 'america/chicago'], ['Mars/Base']),
    sort_by: one(['created_at', '-updated_at', 'created_at,-updated_at', 'name', '-from_date', 'next'], ['email', '']),
    status: one(['scheduled', 'canceled,no_show', 'active,past_due'], ['gone', ',']),
    filters: fc.array(
      (isWild ? wildFilter : goodFilter).map((filter) => JSON.stringify(filter)),
      { maxLength: 4 },
    ),
    by_status: one(['active', 'archived,invited'], ['gone', ',']),
    external_id: one(['one', 'two', 'three']),
    email: fc.uuid().map((id) => `${id}@example.test`),
    event_type: one(['patient', 'patient,appointment', 'subscription'], ['gone', ',']),
    event_topic: one(['created', 'scheduled,created'], ['gone', '']),
    object_id: one([...known.patientIds, ...known.appointmentIds], ['', 'none']),
    url: one(
      ['http://127.0.0.1:9/hooks', 'https://hooks.example.com/a'],
      ['https://10.0.0.1/', 'not-a-url', 'http://[::1'],
    ),
    after_sequence: one([0, 1, 3], [10 ** 14]),
    // A long poll would slow the test down.
    wait: one([0], [31]),
    birth_date: one(['1990-11-21', '2004-02-29'], ['2999-01-01', '0000-01-01']),
    ...hints,
  };
};

function valuesOf(schema: Schema, mood: Mood): Value {
  if (schema && 'const' in schema) return fc.constant(schema.const);
  if (schema?.enum) return fc.constantFrom(...schema.enum);
  if (schema?.anyOf) return fc.oneof(...schema.anyOf.map((one: Schema) => maybe(valuesOf(one, mood), mood)));
  switch (schema?.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
    case 'string':
      return textOf(schema);
    case 'array':
      return fc.array(maybe(valuesOf(schema.items, mood), mood), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case 'object':
      return schema.properties
        ? objectOf(schema, mood)
        : fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    default:
      return fc.jsonValue();
  }
}

function textOf({ format, minLength = 0, maxLength = 100 }: Schema): Value {
  const days = fc
    .integer({ min: -40_000, max: 400 })
    .map((day) => new Date(Date.now() + day * 86_400_000).toISOString());
  if (format === 'uuid') return fc.uuid();
  if (format === 'date') return days.map((instant) => instant.slice(0, 10));
  if (format === 'date-time') return days;
  if (format === 'email') return fc.emailAddress();
  return fc.string({ minLength, maxLength: Math.min(maxLength, 120), unit: 'binary' });
}

/** All required fields, some optional ones and, in the wild half, occasionally an unknown one. */
export function objectOf(
  { properties = {}, required = [] }: Schema,
  mood: Mood,
): fc.Arbitrary<Record<string, unknown>> {
  const hints = hintsFor(mood);
  const valueFor = (name: string): Value => {
    const schema = properties[name];
    return maybe(hints[name] ?? valuesOf(schema, mood), mood);
  };
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const all = fc
    .subarray(optional, { maxLength: Math.min(optional.length, 4) })
    .chain((chosen) => fc.record(Object.fromEntries([...required, ...chosen].map((name) => [name, valueFor(name)]))));
  if (!mood.isWild) return all;
  const strange = fc.tuple(all, fc.string(), NASTY).map(([object, name, value]) => ({ ...object, [name]: value }));
  return fc.oneof({ weight: 12, arbitrary: all }, { weight: 1, arbitrary: strange });
}

/** Encodes a value for a URL, which holds text only and no lone surrogates. */
const encode = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return encodeURIComponent(Buffer.from(text).toString('utf8'));
};

/** Generates valid and invalid requests to one route from its OpenAPI operation; `ids` are the object ids to use. */
export function arbitraryRequest(
  document: Schema,
  route: Route,
  known: Known,
  ids: string[],
): fc.Arbitrary<RestRequest> {
  const patientIdOf = (ids: string[]): Mood['hints'] => ({ patient_id: fc.constantFrom(...ids) });
  const hints = route.path.startsWith('/payment_methods')
    ? patientIdOf(known.patientIds.slice(0, 1))
    : route.path.endsWith('/attach')
      ? patientIdOf(known.newPatientIds)
      : {};
  return fc.boolean().chain((isWild) => requestIn({ known, isWild, hints }, document, route, ids));
}

const messageOf = ({ appointmentIds, messageIds }: Known, id: unknown): string =>
  messageIds[appointmentIds.indexOf(id as string)] ?? messageIds[0]!;

function requestIn(mood: Mood, document: Schema, route: Route, ids: string[]): fc.Arbitrary<RestRequest> {
  const operation = document.paths[route.path][route.method.toLowerCase()];
  const parameters: { name: string; in: string; required: boolean; schema: Schema }[] = operation.parameters ?? [];
  const alwaysSent = ALWAYS_SENT[`${route.method} ${route.path}`] ?? [];
  const inQuery = parameters.filter((one) => one.in === 'query');
  const plain = (name: string) => name.replace('[]', '');
  const query = objectOf(
    {
      properties: Object.fromEntries(inQuery.map(({ name, schema }) => [plain(name), schema])),
      required: inQuery.filter((one) => one.required || alwaysSent.includes(one.name)).map(({ name }) => plain(name)),
    },
    mood,
  );
  const schema = operation.requestBody?.content['application/json'].schema;
  const required = [...(schema?.required ?? []), ...alwaysSent.filter((name) => schema?.properties[name])];
  const body = schema ? maybe(objectOf({ ...schema, required }, mood), mood) : fc.constant(undefined);
  const id = route.path.includes('{') ? maybe(fc.constantFrom(...ids), mood) : fc.constant('');
  const key = mood.isWild ? fc.constantFrom(undefined, 'a', 'b', 'x'.repeat(256), ' ') : fc.constant(undefined);

  return fc.record({ id, query, body, key }).map(({ id, query, body, key }) => {
    const ids: Record<string, unknown> = {
      ...{ id, code: id, subscription_id: id },
      delivery_id: mood.known.deliveryIds[0],
      message_id: messageOf(mood.known, id),
    };
    const address = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(ids[name]) || '-');
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      Array.isArray(value)
        ? value.map((one) => `${encode(name)}[]=${encode(one)}`)
        : [`${encode(name)}=${encode(value)}`],
    );
    return {
      method: route.method,
      path: pairs.length > 0 ? `${address}?${pairs.join('&')}` : address,
      ...(body !== undefined && { body }),
      ...(route.method === 'POST' && key !== undefined && { headers: { 'idempotency-key': key } }),
    };
  });
}
