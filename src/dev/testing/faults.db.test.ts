import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES, type Route } from '#contract/routes.ts';
import { newId } from '#server/core/ids.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import type { RestRequest, RestResponse } from './rest-client.ts';
import { sampleRequests } from './sample-requests.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import { type FreeSlot, nameOf, type Offer, type Sample, type Target } from './samples/sample.ts';

let clinic: Sandbox;
let token: string;
let patientToken: string;
let samples: Record<string, Sample>;
let target: Target;
let offer: Offer;
let time: FreeSlot;
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked by name
let document: any;

beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  const credentials = await clinic.application(clinic.ctx);
  token = await clinic.token(credentials);
  offer = await readOffer(clinic, token);
  samples = sampleRequests(offer);
  target = await makeTarget(clinic, token, offer);
  time = offer.times[0]!;
  patientToken = await clinic.impersonate(credentials, target.patientId);
  document = await (await fetch(`${clinic.url}/api/v1/openapi.json`)).json();
});
afterAll(() => clinic?.stop());

type Parameter = { name: string; in: string; required?: boolean };
type ApiError = { code: string; detail: string; source?: { pointer?: string; parameter?: string } };

const good = (route: Route): RestRequest => ({
  method: route.method,
  token,
  ...samples[nameOf(route)]!.request(target, time),
});
const parametersOf = ({ path, method }: Route): Parameter[] =>
  (document.paths[path][method.toLowerCase()].parameters ?? []).filter((one: Parameter) => one.in === 'query');
const errorsOf = ({ body }: RestResponse): ApiError[] => body.errors;
/** The route's valid request with other query values; null removes a parameter. */
const withQuery = (route: Route, values: Record<string, string | null>): RestRequest => {
  const request = good(route);
  const [path, text] = request.path.split('?');
  const query = new URLSearchParams(text);
  for (const [name, value] of Object.entries(values)) value === null ? query.delete(name) : query.set(name, value);
  return { ...request, path: query.size > 0 ? `${path}?${query}` : path! };
};
/** The short form sends a quarter of each list to one route and the next quarter to the next, so that all are sent. */
const PARTS = process.env.PROVE ? 1 : 4;
const partFor = <T>(index: number, all: readonly T[]): T[] => all.filter((_, n) => n % PARTS === index % PARTS);

const ALL = ROUTES.map((route, index) => [nameOf(route), route, index] as const);

describe('a missing or invalid query parameter', () => {
  test.each(ALL)('is reported as a parameter by %s', async (_name, route, index) => {
    for (const [n, { name, required }] of parametersOf(route).entries()) {
      const wrong = [null, '', 'x'.repeat(9000), '{', '2026-02-31'].filter((value) => value !== null || required);
      for (const value of partFor(index + n, wrong)) {
        const response = await clinic.rest.call(withQuery(route, { [name.replace('[]', '')]: null, [name]: value }));
        if (response.status === 200) continue;
        expect([name, response.status]).toEqual([name, 422]);
        expect(errorsOf(response).map(({ source }) => source)).toEqual([
          { parameter: expect.stringMatching(new RegExp(`^${name.replace('[]', '')}(\\[\\])?$`)) },
        ]);
        if (value === null) expect(errorsOf(response)[0]?.code).toBe('missing_parameter');
      }
    }
  });

  test('is reported when a patient lists without patient_id', async () => {
    for (const route of ROUTES.filter((one) => one.patient && samples[nameOf(one)]?.kind === 'list')) {
      const response = await clinic.rest.call({ ...withQuery(route, { patient_id: null }), token: patientToken });
      // This list is limited to the token's patient implicitly.
      if (route.procedure === 'appointments.list') {
        expect(response.status).toBe(200);
        continue;
      }
      expect([response.status, errorsOf(response)[0]?.source]).toEqual([403, { parameter: 'patient_id' }]);
    }
  });

  test('is reported equally for an unknown cursor by every list', async () => {
    const lists = ROUTES.filter((one) => one.list === 'page');
    expect(lists.length).toBeGreaterThan(6);
    for (const [index, route] of lists.entries())
      for (const [n, name] of ['starting_after', 'ending_before'].entries())
        for (const value of ['x', newId(), 'sub_none'].filter((_, at) => PARTS === 1 || at === (index + n) % 3)) {
          const response = await clinic.rest.call(withQuery(route, { [name]: value }));
          const [fault, ...others] = errorsOf(response);
          expect([nameOf(route), value, response.status, fault?.code, fault?.source, others]).toEqual([
            nameOf(route),
            value,
            422,
            'invalid_parameter',
            { parameter: name },
            [],
          ]);
        }
  });
});

describe.each(ALL.filter(([, { method }]) => method === 'POST' || method === 'PATCH'))('%s', (_name, route, index) => {
  const VALUES = [null, '', ' ', '\u0000', 'x\u0000'.repeat(40_000), -1.5, 1e300, [], [[]], ['', '\u0000', ''], {}];

  test('reports one error per field', async () => {
    const properties: object =
      document.paths[route.path][route.method.toLowerCase()].requestBody.content['application/json'].schema.properties;
    const fields = Object.keys(properties);
    for (const value of partFor(index, VALUES)) {
      const body = Object.fromEntries(fields.map((field) => [field, value]));
      const response = await clinic.rest.call({ ...good(route), body });
      if (response.status < 300) continue;
      const sources = errorsOf(response).map(({ source }) => JSON.stringify(source));
      expect(sources).toEqual([...new Set(sources)]);
    }
  });
});

describe.each(ALL.filter(([, { path }]) => path.includes('{')))('%s', (_name, route, index) => {
  const errorFor = async (id: string) => {
    const before = route.path.slice(0, route.path.indexOf('{'));
    const path =
      before +
      id +
      good(route)
        .path.slice(before.length)
        .replace(/^[^/?]+/, '');
    const caller = route.patientOnly ? { token: patientToken } : {};
    const { status, body } = await clinic.rest.call({ ...good(route), path, ...caller });
    return { status, errors: body.errors };
  };
  const MALFORMED = [
    '0',
    'x',
    'null',
    'undefined',
    '-1',
    '%00',
    '%E0%A4%A',
    '%ED%A0%80',
    '%F0%9F%A6%8A',
    "1'%20or%201=1",
    '..%2f..%2f',
    'x'.repeat(5000),
    `${newId()}x`,
    newId().slice(1),
    '00000000-0000-9000-0000-000000000000',
    'sub_',
    `sub_${'x'.repeat(300)}`,
    'sub_é',
  ];

  test('returns the same error for a malformed id as for an absent one', async () => {
    const absent = await errorFor(route.path.startsWith('/subscriptions') ? 'sub_absent' : newId());
    expect([absent.status, absent.errors.length, absent.errors[0].code]).toEqual([404, 1, 'not_found']);
    for (const id of partFor(index, MALFORMED))
      expect([id.slice(0, 40), await errorFor(id)]).toEqual([id.slice(0, 40), absent]);
  });
});

describe('the error for an invalid date says why', () => {
  const detailOf = async (request: Partial<RestRequest> & { path: string }) => {
    const response = await clinic.rest.call({ method: 'GET', token, ...request });
    expect([response.status, errorsOf(response)]).toEqual([422, [expect.anything()]]);
    return errorsOf(response)[0]!.detail;
  };
  const born = (birth_date: unknown) => detailOf({ method: 'POST', path: '/patients', body: { birth_date } });
  const from = (text: string) =>
    detailOf({ path: `/availability?appointment_type_id=1&from_date=${text.replaceAll('%', '%25')}` });

  test.each([
    ['2026-02-31', '"birth_date": there is no 31 February 2026.'],
    ['2025-02-29', '"birth_date": there is no 29 February 2025.'],
    ['1900-02-29', '"birth_date": there is no 29 February 1900.'],
    ['1990-04-31', '"birth_date": there is no 31 April 1990.'],
    ['1990-13-01', '"birth_date": there is no month 13.'],
    ['1990-00-10', '"birth_date": there is no month 00.'],
    ['1990-01-00', '"birth_date": there is no 0 January 1990.'],
    ['04/12/1990', '"birth_date": must be a date such as 2026-11-23.'],
    ['1990-4-12', '"birth_date": must be a date such as 2026-11-23.'],
    ['1990-04-12T00:00:00Z', '"birth_date": must be a date such as 2026-11-23.'],
    ['1899-12-31', 'The date of birth lies before 1900. Check the year.'],
  ])('birth_date %s', async (date, detail) => {
    expect(await born(date)).toBe(detail);
  });

  test('a birth date in the future', async () => {
    expect(await born('2999-01-01')).toBe('The date of birth lies in the future. Check the date.');
  });

  test.each([
    ['2026-11-31', '"from_date": there is no 31 November 2026.'],
    ['2026-11-31T09:00:00Z', '"from_date": there is no 31 November 2026.'],
    ['tomorrow', '"from_date": must be a date such as 2026-11-23, or an instant such as 2026-11-23T09:00:00-05:00.'],
    ['2026-11-23T09:00:00', '"from_date": must end in an offset such as -05:00, or in Z.'],
    ['2026-11-23T09:00', '"from_date": must end in an offset such as -05:00, or in Z.'],
    ['2026-11-23T09:00:00+05:00', '"from_date": has a space where its offset begins: in an address, write + as %2B.'],
    ['2026-11-23T25:00:00Z', '"from_date": must be an instant such as 2026-11-23T09:00:00-05:00.'],
  ])('from_date %s', async (text, detail) => {
    expect(await from(text)).toBe(detail);
  });

  test('a booking with a date only, or in the past', async () => {
    const { path, body } = samples['POST /appointments']!.request(target, time);
    const book = (from_date: string) => detailOf({ method: 'POST', path, body: { ...(body as object), from_date } });
    expect(await book('2026-11-23')).toBe('"from_date": must have a time too, as in 2026-11-23T09:00:00-05:00.');
    expect(await book('2020-11-23T09:00:00Z')).toMatch(/^This time has passed\./);
    const booked = await makeTarget(clinic, token, offer);
    const move = { method: 'POST', path: `/appointments/${booked.appointmentId}/reschedule` };
    expect(await detailOf({ ...move, body: { from_date: '2020-11-23T09:00:00Z' } })).toMatch(/^This time has passed\./);
  });

  test('a filter value', async () => {
    const filter = (value: unknown) =>
      encodeURIComponent(JSON.stringify({ field: 'created_at', operator: 'gt', value }));
    expect(await detailOf({ path: `/patients?filters[]=${filter('2026-02-30')}` })).toBe(
      '"filters.0": "created_at" with "gt" takes a date or an instant: there is no 30 February 2026.',
    );
    expect(await detailOf({ path: `/patients?filters[]=${filter(7)}` })).toContain('takes another type of value');
  });
});
