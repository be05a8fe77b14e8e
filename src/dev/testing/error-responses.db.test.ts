import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '#contract/routes.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { ENDPOINT_ROWS, type EndpointRow, PROCEDURES } from './endpoint-rows.ts';
import { createEndpointSetup, type EndpointSetup, type Sessions } from './endpoint-setup.ts';
import { type RawRequest, type RawResponse, rawClient } from './send-raw.ts';

/** Maximum size of an error response. */
const MOST_BYTES = 16_000;
const LARGE = 979_000;
const SMALL = 60_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

let clinic: Sandbox;
let setup: EndpointSetup;
let sessions: Sessions;
let client: ReturnType<typeof rawClient>;
let largest = { bytes: 0, of: '' };
beforeAll(async () => {
  clinic = await withClinic({ ...SANDBOX, env: { TRUST_PROXY: '1' } });
  setup = await createEndpointSetup(clinic);
  sessions = await setup.signIn();
  client = rawClient(clinic.url, 12);
});
afterAll(async () => {
  console.info(`error responses: the longest has ${largest.bytes} bytes: ${largest.of}`);
  client?.close();
  await clinic?.stop();
});

const objectOf = (count: number, key: (n: number) => string, value = '1') =>
  `{${Array.from({ length: count }, (_, n) => `"${key(n)}":${value}`).join()}}`;
/** As many keys as fit into this many bytes. */
const keysWithin = (bytes: number, key: (n: number) => string) =>
  objectOf(Math.floor(bytes / (key(100_000).length + 5)), key);

/** Caches the result for each size. */
function once<T>(make: (bytes: number) => T): (bytes: number) => T {
  const cache = new Map<number, T>();
  return (bytes) => {
    const value = cache.get(bytes) ?? make(bytes);
    cache.set(bytes, value);
    return value;
  };
}

/** Bodies whose response would be many times as long if it listed all their errors. */
const hostileBodies = once((bytes: number): [string, string][] => [
  ['as many unknown keys as fit', keysWithin(bytes, (n) => `k${n}`)],
  ['nearly 10,000 unknown keys', keysWithin(Math.min(bytes, 99_000), (n) => `${n}`)],
  ['thirty keys of escapes, which grow sixfold', objectOf(30, (n) => `${'\\u0001'.repeat(bytes / 200)}${n}`)],
  ['thirty keys of slashes and tildes, which grow twofold', objectOf(30, (n) => `${'~/'.repeat(bytes / 70)}${n}`)],
  ['thirty keys of halves of surrogate pairs', objectOf(30, (n) => `${'\\ud800'.repeat(bytes / 200)}${n}`)],
  ['thirty keys of letters outside the alphabet', objectOf(30, (n) => `${'𝕬'.repeat(bytes / 130)}${n}`)],
  ['one key as long as the body', `{"${'x'.repeat(bytes - 100)}":1}`],
  ['a key with NUL deep down', `${'{"~/":'.repeat(60)}{"\\u0000":1}${'}'.repeat(60)}`],
  ['long keys in long keys', `${`{"${'k/'.repeat(bytes / 130)}":`.repeat(60)}"\\u0000"${'}'.repeat(60)}`],
  ['nothing but brackets', '['.repeat(bytes)],
]);
/** The same for each known field of the endpoint. */
const hostileValues = once((bytes: number): [string, string][] => [
  [
    'nearly 10,000 wrong items',
    `[${Array.from({ length: Math.min(9000, bytes / 5) }, (_, n) => `{"${n}":[]}`).join()}]`,
  ],
  ['nearly 10,000 wrong keys', keysWithin(Math.min(bytes, 90_000), (n) => `${n}`)],
  ['a text as long as the body', JSON.stringify('\u0001'.repeat(bytes / 7))],
]);
const fieldsOf = (schema: unknown): string[] =>
  Object.keys((schema as { properties?: object } | null)?.properties ?? {});

/** `npm run prove` tests every field, the short form two of each endpoint. */
const MOST_FIELDS = process.env.PROVE ? 1000 : 2;

/**
 * The short form sends an eighth of the requests to one endpoint and the next eighth to the next, so that all are sent.
 */
const PARTS = process.env.PROVE ? 1 : 8;
const partFor = <T>(address: number, all: T[]): T[] => all.filter((_, index) => index % PARTS === address % PARTS);

function bodiesFor(schema: unknown, bytes: number): [string, string][] {
  const fields = fieldsOf(schema).slice(0, MOST_FIELDS);
  const inFields = fields.flatMap((field) =>
    hostileValues(bytes).map(([what, value]): [string, string] => [`${what} in ${field}`, `{"${field}":${value}}`]),
  );
  return [...hostileBodies(bytes), ...inFields];
}

const QUERIES: [string, string][] = [
  ['many unknown parameters', Array.from({ length: 1500 }, (_, n) => `k${n}=1`).join('&')],
  ['an unknown parameter of control characters', `${'%01'.repeat(4000)}=1`],
  [
    'a known one of control characters',
    `size=${'%01'.repeat(4000)}&filters[]=${'%01'.repeat(500)}&input=${'%01'.repeat(300)}`,
  ],
  ['one parameter a thousand times', Array.from({ length: 1000 }, () => 'filters[]=1').join('&')],
  ['a callback address of any length', `callbackUrl=${'x'.repeat(12_000)}&error=${'e'.repeat(1000)}`],
];

async function hold(requests: [string, RawRequest][]): Promise<RawResponse[]> {
  const responses: RawResponse[] = [];
  for (const [what, request] of requests) {
    const response = await client.send(request);
    const of = `${request.method} ${request.path.slice(0, 80)}: ${what}: ${response.status}`;
    expect(response.status, of).toBeLessThan(500);
    responses.push(response);
    if (response.status < 400) continue;
    expect(response.bytes, `${of}: ${response.text.slice(0, 300)}`).toBeLessThan(MOST_BYTES);
    if (response.bytes > largest.bytes) largest = { bytes: response.bytes, of };
  }
  return responses;
}

const bearer = () => ({ authorization: `Bearer ${setup.otherTokens[1]}` });
const staff = () => ({ cookie: sessions.cookie, 'x-carelane-portal': '1' });
const proofOf = ({ proof }: EndpointRow): Record<string, string> =>
  proof === 'staff' ? staff() : proof === 'bearer' ? { authorization: `Bearer ${sessions.accessToken}` } : {};

describe('an error response is short for any request', () => {
  const ADDRESSES = ROUTES.map((route, index) => [`${route.method} ${route.path}`, route, index] as const);
  test.each(ADDRESSES)('%s', async (_name, route, index) => {
    const path = `/api/v1${route.path.replace('{id}', setup.known.patientIds[0]!)}`;
    const base = { method: route.method, path, headers: { ...bearer(), ...JSON_TYPE }, body: undefined };
    const hasBody = route.method === 'POST' || route.method === 'PATCH';
    const schema = { properties: route.input.shape };
    const requests: [string, RawRequest][] = [
      ...QUERIES.map(([what, query]): [string, RawRequest] => [what, { ...base, path: `${path}?${query}` }]),
      ['a path of any length', { ...base, path: `${path}${'/%01'.repeat(3000)}` }],
      ['a key of any length', { ...base, headers: { ...base.headers, 'idempotency-key': 'k'.repeat(12_000) } }],
      ...(hasBody ? bodiesFor(schema, SMALL) : []).map(([what, body]): [string, RawRequest] => [
        what,
        { ...base, body },
      ]),
    ];
    await hold(partFor(index, requests));
  });

  test.each(
    ENDPOINT_ROWS.filter(({ kind }) => kind !== 'trpc batch').map((row, index) => [row.name, row, index] as const),
  )('%s', async (_name, row, index) => {
    const path = row.path.replace('{tenant}', setup.clinic.tenant.id);
    const base = { method: row.method, path, headers: { ...JSON_TYPE, ...proofOf(row) }, body: undefined };
    const bodies = row.method === 'GET' ? [] : bodiesFor(row.schema, SMALL);
    const inQuery = row.kind === 'trpc' && row.method === 'GET' ? bodiesFor(row.schema, 3500) : [];
    const requests: [string, RawRequest][] = [
      ...QUERIES.map(([what, query]): [string, RawRequest] => [what, { ...base, path: `${path}?${query}` }]),
      ['a path of any length', { ...base, path: `${path}${'/%01'.repeat(3000)}` }],
      ...inQuery.map(([what, body]): [string, RawRequest] => [
        what,
        { ...base, path: `${path}?input=${encodeURIComponent(body).slice(0, 12_000)}` },
      ]),
      ...bodies.map(([what, body]): [string, RawRequest] => [what, { ...base, body }]),
      [
        'a form of many names',
        {
          ...base,
          headers: { ...base.headers, ...FORM },
          body: row.method === 'GET' ? undefined : 'k=1&'.repeat(SMALL / 4),
        },
      ],
      [
        'a form of one name',
        {
          ...base,
          headers: { ...base.headers, ...FORM },
          body: row.method === 'GET' ? undefined : `audience=${'%01'.repeat(20)}&`.repeat(SMALL / 72),
        },
      ],
    ];
    await hold(partFor(index, requests));
  });

  test('for a body of maximum size', async () => {
    const addresses = ['/api/v1/patients', '/api/trpc/patients.create'];
    for (const [address, path] of addresses.entries())
      await hold(
        // The short form sends each body to one of the two.
        hostileBodies(LARGE)
          .filter((_, index) => PARTS === 1 || index % 2 === address)
          .map(([what, body]): [string, RawRequest] => [
            what,
            { method: 'POST', path, headers: { ...JSON_TYPE, ...(path.includes('trpc') ? staff() : bearer()) }, body },
          ]),
      );
  });

  test('for a batch of twenty calls with every kind of error', async () => {
    const mutations = PROCEDURES.filter(([, { _def }]) => _def.type === 'mutation').map(([name]) => name);
    const inputs = [...hostileBodies(2000), ...hostileValues(2000)]
      .map(([, body]) => body)
      .filter((body) => !body.startsWith('['));
    for (let first = 0; first < mutations.length; first += 20) {
      const names = Array.from({ length: 20 }, (_, n) => mutations[(first + n) % mutations.length]);
      // There are fewer batches than parts, so the short form sends a quarter to each.
      const some = inputs.filter((_, index) => PARTS === 1 || index % 4 === (first / 20) % 4);
      const requests = some.map((input): [string, RawRequest] => [
        input.slice(0, 40),
        {
          method: 'POST',
          path: `/api/trpc/${names.join()}?batch=1`,
          headers: { ...JSON_TYPE, ...staff() },
          body: `{${names.map((_, index) => `"${index}":${input}`).join()}}`,
        },
      ]);
      await hold(requests);
      await hold(requests.map(([what, request]) => [what, { ...request, headers: JSON_TYPE }]));
    }
  });
});

test('an unauthenticated body is limited to 64 KiB', async () => {
  const small = ENDPOINT_ROWS.filter(
    ({ path, method }) => method !== 'GET' && /^\/(identity|api\/links|api\/auth)\//.test(path),
  );
  const body = JSON.stringify({ token: 'x'.repeat(64 * 1024) });
  for (const row of small.filter(({ path }) => !path.endsWith('_log'))) {
    const type = row.kind === 'form' ? FORM : JSON_TYPE;
    const [response] = await hold([
      [row.name, { method: row.method, path: row.path, headers: { ...type, ...proofOf(row) }, body }],
    ]);
    expect([row.name, response!.status]).toEqual([row.name, 413]);
  }
});

describe('an error response', () => {
  const sendBody = async (body: string) => {
    const [response] = await hold([
      ['', { method: 'POST', path: '/api/v1/patients', headers: { ...bearer(), ...JSON_TYPE }, body }],
    ]);
    return JSON.parse(response!.text).errors as { code: string; detail: string; source: { pointer: string } }[];
  };

  test('lists at most twenty errors', async () => {
    expect(await sendBody(objectOf(20, (n) => `k${n}`))).toHaveLength(20);
    const errors = await sendBody(objectOf(2000, (n) => `k${n}`));
    expect(errors).toHaveLength(20);
    expect(errors.at(-1)).toMatchObject({ code: 'unknown_parameter', source: { pointer: '/k19' } });
  });

  test('truncates a long name, and points to its parent', async () => {
    const [error] = await sendBody(`{"metadata":{},"${'x'.repeat(5000)}":1}`);
    expect(error!.detail).toMatch(/^"x{90,100}…" is not known here\.$/);
    expect(error!.source).toEqual({ pointer: '' });
    const [deep] = await sendBody(`{"addresses_attributes":[{"${'y'.repeat(5000)}":1}]}`);
    expect(deep!.source).toEqual({ pointer: '/addresses_attributes/0' });
  });
});

test('accepts a body as large as the contract allows', async () => {
  const metadata = { numbers: Array(8000).fill(0), commas: ','.repeat(300) };
  const body = JSON.stringify({ first_name: 'Ada', metadata });
  const request = { method: 'POST', path: '/api/v1/patients', headers: { ...bearer(), ...JSON_TYPE }, body };
  expect((await client.send(request)).status).toBe(201);
});

test('twelve concurrent bodies full of unknown keys do not slow down other requests', async () => {
  const body = keysWithin(LARGE, (n) => `k${n}`);
  expect(body.length).toBeGreaterThan(850_000);
  const request = { method: 'POST', path: '/api/v1/patients', headers: { ...bearer(), ...JSON_TYPE }, body };
  const others = rawClient(clinic.url);
  const waits: number[] = [];
  let isOver = false;
  const before = process.memoryUsage().rss;
  const flood = Promise.all(Array.from({ length: 12 }, () => client.send(request))).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const begun = performance.now();
    await others.send({ method: 'GET', path: '/api/health', headers: {}, body: undefined });
    waits.push(performance.now() - begun);
  }
  others.close();
  const responses = await flood;
  const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
  console.info(
    `error responses: others waited ${Math.round(Math.max(...waits))} ms at most; ${Math.round(grown)} MiB more`,
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(400));
  if (process.env.PROVE) expect(Math.max(...waits)).toBeLessThan(2000);
  if (process.env.PROVE) expect(grown).toBeLessThan(200);
});
