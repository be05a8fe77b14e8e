import { request as send } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES, type Route } from '#contract/routes.ts';
import { rowCounter } from './catalogue.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import type { RestRequest, RestResponse } from './rest-client.ts';
import { sampleRequests } from './sample-requests.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import { nameOf, type Offer, type Sample, type Target } from './samples/sample.ts';

let clinic: Sandbox;
let owner: pg.Client;
let rowCounts: Awaited<ReturnType<typeof rowCounter>>;
let atFirst: Record<string, number>;
let token: string;
let otherToken: string;
let offer: Offer;
let samples: Record<string, Sample>;
let target: Target;
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked by name
let document: any;

beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await owner.connect();
  rowCounts = await rowCounter(owner);
  token = await clinic.token(await clinic.application(clinic.ctx));
  otherToken = await clinic.token(await clinic.application(clinic.otherCtx));
  offer = await readOffer(clinic, token);
  samples = sampleRequests(offer);
  target = await makeTarget(clinic, token, offer);
  document = await (await fetch(`${clinic.url}/api/v1/openapi.json`)).json();
  atFirst = await rowCounts();
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

/** The short form sends a third of each list to one route and the next third to the next, so that all are sent. */
const LONG = Boolean(process.env.PROVE);
const PARTS = LONG ? 1 : 3;
const partFor = <T>(index: number, all: readonly T[]): T[] => all.filter((_, n) => n % PARTS === index % PARTS);

const ALL = ROUTES.map((route, index) => [nameOf(route), route, index] as const);
const WITH_BODY = ALL.filter(([, { method }]) => method === 'POST' || method === 'PATCH');
const ABOVE_A_MEBIBYTE = JSON.stringify({ first_name: 'x'.repeat(1024 * 1024) });
const JSON_TYPE = { 'content-type': 'application/json' };

/** The route's valid request, with the changes of the test case. */
const good = (route: Route): RestRequest => ({
  method: route.method,
  token,
  ...samples[nameOf(route)]!.request(target, offer.times[0]!),
});
const codes = (response: RestResponse): string[] => response.body.errors.map((error: { code: string }) => error.code);
const sources = (response: RestResponse): string[] =>
  response.body.errors.flatMap((error: { source?: object }) => Object.values(error.source ?? {}));

/**
 * Sends each request; asserts a 4xx response that matches the contract (the client validates it) and unchanged rows.
 */
async function expectAllRejected(
  requests: [string, RestRequest][],
  check: (response: RestResponse, what: string) => void,
) {
  const before = LONG && (await rowCounts());
  for (const [what, request] of requests) {
    const response = await clinic.rest.call(request);
    expect(response.status, `${what}: ${JSON.stringify(response.body).slice(0, 300)}`).toBeGreaterThanOrEqual(400);
    expect(response.status, what).toBeLessThan(500);
    check(response, what);
  }
  if (LONG) expect(await rowCounts()).toEqual(before);
}
/** The short form counts all rows once after the tests of a block, the long form around each test. */
const leavesNoRow = () =>
  afterAll(async () => {
    expect(await rowCounts()).toEqual(atFirst);
  });
const statusIs =
  (...statuses: number[]) =>
  (response: RestResponse, what: string) =>
    expect(statuses, `${what}: ${JSON.stringify(response.body)}`).toContain(response.status);

describe.each(ALL)('%s rejects', (_name, route, index) => {
  leavesNoRow();
  test('a missing, malformed or wrong token', async () => {
    const request = { ...good(route), token: null };
    const bearers = [
      'Bearer',
      'Bearer ',
      'Bearer a b',
      'Basic YTpi',
      'Bearer ü',
      `Bearer ${token}x`,
      `Bearer ${'a'.repeat(6000)}`,
    ];
    await expectAllRejected(
      [
        ['no token', request],
        ...partFor(index, bearers).map((authorization): [string, RestRequest] => [
          authorization.slice(0, 30),
          { ...request, headers: { authorization: Buffer.from(authorization).toString('latin1') } },
        ]),
      ],
      statusIs(401),
    );
  });

  test('unknown and unreadable query parameters', async () => {
    const request = good(route);
    const mark = request.path.includes('?') ? '&' : '?';
    const queries = [
      'surprise=1',
      'surprise[]=1',
      '%00=1',
      'surprise=%00',
      'constructor=1',
      '__proto__=1',
      'a[b]=1',
      '=1',
    ];
    await expectAllRejected(
      partFor(index, queries).map((query) => [query, { ...request, path: `${request.path}${mark}${query}` }]),
      (response, what) => {
        statusIs(422)(response, what);
        expect(codes(response)[0]).toMatch(/unknown_parameter|invalid_parameter/);
      },
    );
  });

  test('a method that it does not support', async () => {
    await expectAllRejected(
      partFor(index, ['PUT', 'TRACE', 'PROPFIND']).map((method) => [method, { ...good(route), method }]),
      statusIs(405),
    );
  });

  test('an object of another tenant', async () => {
    if (samples[nameOf(route)]!.kind !== 'object') return;
    // An application may never call a patient-only route, so the id does not matter.
    const status = route.patientOnly ? 403 : 404;
    await expectAllRejected([['foreign', { ...good(route), token: otherToken }]], statusIs(status));
  });
});

describe.each(ALL.filter(([, { path }]) => path.includes('{')))('%s rejects', (_name, route, index) => {
  leavesNoRow();
  test('malformed ids', async () => {
    const ids = [
      '0',
      'x',
      '%00',
      '%E0%A4%A',
      '%F0%9F%A6%8A',
      "1'%20or%201=1",
      '..%2f..%2f',
      'x'.repeat(5000),
      '%ED%A0%80',
      'null',
    ];
    await expectAllRejected(
      partFor(index, ids).map((id) => [id.slice(0, 40), { ...good(route), path: route.path.replace('{id}', id) }]),
      (response) => expect([response.status, codes(response)]).toEqual([404, ['not_found']]),
    );
  });
});

describe.each(ALL.filter(([, { method }]) => method === 'GET' || method === 'DELETE'))(
  '%s rejects',
  (_name, route, index) => {
    leavesNoRow();
    test('a body', async () => {
      await expectAllRejected([['body', { ...good(route), body: { surprise: 1 } }]], statusIs(400, 422));
    });

    test('query parameters of the wrong type', async () => {
      const request = good(route);
      const [path] = request.path.split('?');
      const parameters: {
        name: string;
        in: string;
        schema: { type?: string; format?: string; enum?: string[]; minimum?: number };
      }[] = document.paths[route.path][route.method.toLowerCase()].parameters ?? [];
      const wrong = [
        '',
        'NaN',
        '-1',
        '0',
        '1.5',
        '99999999999999999999',
        '1e400',
        '{}',
        '%00',
        'true',
        'x'.repeat(9000),
      ];
      const invalid: [string, RestRequest][] = [];
      for (const [n, { name, schema }] of parameters.filter((one) => one.in === 'query').entries()) {
        const legal = schema.minimum === 0 ? '0' : schema.type === 'boolean' ? 'true' : null;
        const values = wrong.filter((value) => value !== legal);
        const requests = partFor(index + n, values).map((value): [string, RestRequest] => [
          `${name}=${value.slice(0, 40)}`,
          { ...request, path: `${path}?${name}=${value}` },
        ]);
        const isTyped = schema.type === 'integer' || schema.type === 'boolean' || schema.format || schema.enum;
        if (isTyped || name === 'filters[]') invalid.push(...requests);
        else for (const [, one] of requests) expect((await clinic.rest.call(one)).status).toBeLessThan(500);
      }
      await expectAllRejected(invalid, statusIs(422));
    });
  },
);

describe.each(WITH_BODY)('%s rejects', (name, route, index) => {
  leavesNoRow();
  const raw = (text: string | Uint8Array, headers: Record<string, string> = JSON_TYPE): RestRequest => {
    const { body: _, ...request } = good(route);
    return { ...request, raw: text, headers };
  };
  const bodyOf = () => (good(route).body ?? {}) as Record<string, unknown>;
  const properties = (): Record<string, { type?: string }> =>
    document.paths[route.path][route.method.toLowerCase()].requestBody.content['application/json'].schema.properties;

  test('malformed JSON', async () => {
    const texts = [
      '{',
      '{"a":}',
      "{'a':1}",
      '{"a":1,}',
      'undefined',
      '{"a":NaN}',
      '{"a":1}{"b":2}',
      '\ufeff{"a"',
      '"\\x"',
      '['.repeat(50_000),
    ];
    await expectAllRejected(
      partFor(index, texts).map((text) => [text.slice(0, 30), raw(text)]),
      (response) => expect(codes(response)).toEqual(['malformed_json']),
    );
  });

  test('JSON that is not an object', async () => {
    await expectAllRejected(
      partFor(index, ['[]', '[{}]', 'null', 'true', '12', '"text"', '1e400']).map((text) => [text, raw(text)]),
      (response) => expect(codes(response)).toEqual(['malformed_request']),
    );
  });

  test('other content types, or no content type', async () => {
    const text = JSON.stringify({ ...bodyOf(), surprise: 1 });
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json; charset=iso-8859-1',
      'application/json; charset="utf-16"',
      '',
    ];
    await expectAllRejected(
      [
        ...partFor(index, types).map((type): [string, RestRequest] => [type, raw(text, { 'content-type': type })]),
        ['none', raw(text, {})],
      ],
      statusIs(415),
    );
  });

  test('bytes that are not UTF-8', async () => {
    const broken = [
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      Buffer.from([0xc3]),
      Buffer.from('{"a":1}', 'utf16le'),
    ];
    await expectAllRejected(
      partFor(index, broken).map((bytes) => [Buffer.from(bytes).toString('hex').slice(0, 30), raw(bytes)]),
      (response) => expect(response.status).toBe(400),
    );
  });

  test('a body above one mebibyte, with and without Content-Length', async () => {
    if (PARTS === 1 || index % 2 === 0) await expectAllRejected([['announced', raw(ABOVE_A_MEBIBYTE)]], statusIs(413));
    if (PARTS > 1 && index % 2 === 0) return;
    expect(await sendInChunks(route, ABOVE_A_MEBIBYTE)).toBe(413);
  });

  test('unknown fields', async () => {
    const names = ['surprise', 'id_', 'tenant_id', 'constructor', 'toString', '', ' ', 'x'.repeat(500), 'a/b~c'];
    await expectAllRejected(
      partFor(index, names).map((field) => [field, { ...good(route), body: { ...bodyOf(), [field]: 1 } }]),
      (response, what) => {
        expect(codes(response), what).toEqual(['unknown_parameter']);
        // A truncated pointer would address another field, so a long name is reported by its parent.
        const pointer = what.length > 200 ? '' : `/${what.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        expect(sources(response)).toEqual([pointer]);
      },
    );
    await expectAllRejected([['__proto__', raw(`{"__proto__":{"admin":true}}`)]], (response) =>
      expect(codes(response)).toEqual(['unknown_parameter']),
    );
  });

  test('each field with values of other types, and names the field', async () => {
    const values = [
      {},
      [],
      { a: { b: 1 } },
      [[[]]],
      12.5,
      -1,
      1e308,
      Number.MAX_SAFE_INTEGER + 2,
      true,
      '',
      '\u0000',
      'a\u0000b',
      '\ud800',
      'x'.repeat(70_000),
    ];
    for (const [n, field] of Object.keys(properties()).entries()) {
      const wrong = values.filter((value) => !isLegal(route, field, value));
      expect(wrong.length, field).toBeGreaterThan(8);
      for (const value of partFor(index + n, wrong)) {
        const what = `${field}: ${JSON.stringify(value).slice(0, 40)}`;
        const response = await clinic.rest.call({ ...good(route), body: { ...bodyOf(), [field]: value } });
        expect(response.status, `${what}: ${JSON.stringify(response.body)}`).toBe(422);
        expect(
          sources(response).every((pointer) => pointer.startsWith(`/${field}`)),
          what,
        ).toBe(true);
      }
    }
  });

  test('NUL characters and lone surrogates at any depth, and very deep nesting', async () => {
    const first = Object.keys(properties())[0] ?? 'surprise';
    const field = 'metadata' in properties() ? 'metadata' : first;
    const texts = [
      '{"a":"\\u0000"}',
      '{"\\u0000":1}',
      '{"a":["\\ud800"]}',
      '{"a":{"b":"\\udfff x"}}',
      `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ];
    await expectAllRejected(
      partFor(index, texts).map((text) => [text.slice(0, 30), raw(`{"${field}":${text}}`)]),
      statusIs(400, 422),
    );
  });

  test(`an empty body where ${name} has required fields`, async () => {
    const needed =
      document.paths[route.path][route.method.toLowerCase()].requestBody.content['application/json'].schema.required ??
      [];
    if (needed.length === 0) return;
    await expectAllRejected([['{}', { ...good(route), body: {} }]], (response) => {
      expect(codes(response)).toEqual(needed.map(() => 'missing_parameter'));
      expect(sources(response).sort()).toEqual(needed.map((field: string) => `/${field}`).sort());
    });
  });
});

describe('paths without a route', () => {
  test.each([
    '/unknown',
    '/',
    '//patients',
    '/patients/',
    '/patients/a/b/c',
    '/../api/v1/patients',
    '/..;/patients',
    '/%70atients',
    '/constructor',
    '/openapi.json/x',
  ])('%s returns 404 route_not_found', async (path) => {
    const response = await clinic.rest.call({ method: 'GET', path, token });
    expect([response.status, codes(response)]).toEqual([404, ['route_not_found']]);
  });
});

/** Returns true when a value that most fields reject is valid for this field. */
function isLegal(route: Route, field: string, value: unknown): boolean {
  const shape = route.input.shape as Record<string, { safeParse(value: unknown): { success: boolean } }>;
  return shape[field]!.safeParse(value).success;
}

/** Sends a chunked body: without Content-Length the size is only known while reading. */
function sendInChunks(route: Route, text: string): Promise<number> {
  const { path, method } = good(route);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    };
    let status: number | null = null;
    const request = send(`${clinic.url}/api/v1${path}`, { method, headers }, (response) => {
      status = response.statusCode ?? 0;
      response.resume().on('end', () => resolve(status!));
    });
    // The server may close the connection before the rest is sent, once it has responded.
    request.on('error', (error) => (status === null ? reject(error) : resolve(status)));
    for (let at = 0; at < text.length; at += 65_536) request.write(text.slice(at, at + 65_536));
    request.end();
  });
}
