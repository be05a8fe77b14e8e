import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CarelaneApiError } from './carelane-api-error.ts';
import { type Client, createClient } from './create-client.ts';
import { errorReply, type FakeApi, type Reply, startFakeApi } from './testing/fake-api.ts';

const BOOKING = { patient_id: 'p', appointment_type_id: 1, from_date: '2026-11-23T09:00:00-05:00' };
const NOW = { 'retry-after': '0' };

describe('createClient()', () => {
  let api: FakeApi;
  let carelane: Client;
  const rejectedTokens: (string | undefined)[] = [];
  const failure = (call: Promise<unknown>): Promise<CarelaneApiError> =>
    call.then(
      () => expect.fail('it succeeded'),
      (error) => error,
    );
  beforeAll(async () => {
    api = await startFakeApi();
    const tokens = async (rejected?: string) => {
      rejectedTokens.push(rejected);
      return rejected ? 'second' : 'first';
    };
    carelane = createClient({ baseUrl: `${api.url}/api/v1/`, tokens });
  });
  afterAll(() => api.stop());

  test('sends values in path, query and body, and resolves to the response body', async () => {
    api.respondWith({ body: { id: 'a' } });
    expect(await carelane.get('/patients/{id}', { path: { id: 'a/b c' } })).toEqual({ id: 'a' });
    await carelane.get('/patients', {
      query: { size: 5, by_email: 'a+b@example.test', 'filters[]': ['{"a":1}', '{}'] },
    });
    await carelane.patch('/patients/{id}', { path: { id: 'a' }, body: { first_name: 'Ada' } });
    expect(api.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/api/v1/patients/a%2Fb%20c', ''],
      [
        'GET',
        '/api/v1/patients?size=5&by_email=a%2Bb%40example.test&filters%5B%5D=%7B%22a%22%3A1%7D&filters%5B%5D=%7B%7D',
        '',
      ],
      ['PATCH', '/api/v1/patients/a', '{"first_name":"Ada"}'],
    ]);
    expect(api.requests[0]!.headers).toMatchObject({ authorization: 'Bearer first', accept: 'application/json' });
  });

  test.each([
    [undefined, 'missing_parameter'],
    ['', 'missing_parameter'],
    [null, 'missing_parameter'],
    ['..', 'invalid_parameter'],
    ['.', 'invalid_parameter'],
  ])('rejects %s as an id before sending a request, because it would change the path', async (id, code) => {
    api.respondWith({});
    expect(await failure(carelane.get('/patients/{id}', { path: { id: id as string } }))).toMatchObject({
      code,
      status: 0,
    });
    expect(api.requests).toEqual([]);
  });

  test.each(['', 'clinic.example', 'ftp://clinic.example', '/api/v1'])('rejects %j as baseUrl', (baseUrl) => {
    expect(() => createClient({ baseUrl, tokens: async () => '' })).toThrow(TypeError);
  });

  test('throws all details of an error response', async () => {
    const alternatives = [{ from_date: '2026-11-23T09:30:00-05:00' }];
    api.respondWith(errorReply(409, 'slot_taken', { source: { pointer: '/from_date' }, meta: { alternatives } }));
    const error = await failure(carelane.post('/appointments', { body: BOOKING }));
    expect(error).toBeInstanceOf(CarelaneApiError);
    expect(error).toMatchObject({
      code: 'slot_taken',
      message: 'It is slot_taken.',
      status: 409,
      meta: { alternatives },
      errors: [{ source: { pointer: '/from_date' } }],
      requestId: '01936f4b-82d7-7c19-a3e5-6b0f94d2c817',
    });
    expect(api.requests.length).toBe(1);
  });

  test('request() returns status and headers', async () => {
    api.respondWith({ body: [], headers: { 'total-count': '3' } });
    const { status, headers, body } = await carelane.request('get', '/patients');
    expect([status, headers.get('total-count'), body]).toEqual([200, '3', []]);
  });

  test.each([
    ['an HTML page', { body: '<p>Sign in</p>' }],
    ['an HTML error page', { status: 404, body: '<p>Nothing here</p>' }],
    ['an unknown error format', { status: 422, body: { errors: ['no'] } }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
  ])('throws unexpected_answer for %s', async (_, reply) => {
    api.respondWith(reply);
    expect(await failure(carelane.get('/patients/me'))).toMatchObject({ code: 'unexpected_answer' });
    expect(api.requests.length).toBe(1);
  });

  test.each([
    'lost' as const,
    errorReply(500, 'internal_error'),
    errorReply(503, 'service_busy', {}, NOW),
    errorReply(429, 'rate_limited', {}, NOW),
    errorReply(409, 'idempotency_key_in_use', {}, NOW),
  ])('repeats a POST or GET after %o, with the same key', async (reply) => {
    api.respondWith(reply, reply, { status: 201, body: { id: 'a' } });
    expect(await carelane.post('/appointments', { body: BOOKING })).toEqual({ id: 'a' });
    const keys = api.requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    api.respondWith(reply, { body: {} });
    await carelane.get('/patients/me');
    expect(api.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined]);
  });

  test('waits while the first attempt is running, and errors have the key of the request', async () => {
    const busy = errorReply(409, 'idempotency_key_in_use', {}, NOW);
    api.respondWith('lost', busy, busy, busy, busy, { status: 201, body: { id: 'a' } });
    expect(await carelane.post('/appointments', { body: BOOKING })).toEqual({ id: 'a' });
    expect(new Set(api.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const impatient = createClient({ baseUrl: api.url, tokens: async () => 'a', retries: 0 });
    api.respondWith('lost');
    const { idempotencyKey } = (await failure(impatient.post('/appointments', { body: BOOKING }))) as CarelaneApiError;
    expect(idempotencyKey).toBe(api.requests[0]!.headers['idempotency-key']);
    expect(await failure(impatient.get('/patients/me'))).toMatchObject({ idempotencyKey: undefined });
  });

  test('tries a failed token renewal again', async () => {
    let renewals = 0;
    const tokens = async (rejected?: string) => {
      if (rejected && ++renewals === 1) throw new CarelaneApiError('network', 'away');
      return rejected ? 'second' : 'first';
    };
    const renewing = createClient({ baseUrl: api.url, tokens });
    api.respondWith(errorReply(401, 'expired_token'), errorReply(401, 'expired_token'), { body: { id: 'a' } });
    expect(await renewing.get('/patients/me')).toEqual({ id: 'a' });
    expect(renewals).toBe(2);
  });

  test('uses a new key for each call, or the given one', async () => {
    api.respondWith({ body: {} });
    await carelane.post('/appointments', { body: BOOKING });
    await carelane.post('/appointments', { body: BOOKING });
    await carelane.post('/appointments', { body: BOOKING, idempotencyKey: 'mine' });
    const [first, second, own] = api.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
    expect(own).toBe('mine');
  });

  test('repeats a call twice by default, or as often as configured', async () => {
    api.respondWith(errorReply(503, 'service_busy', {}, NOW));
    expect(await failure(carelane.get('/patients/me'))).toMatchObject({ code: 'service_busy', retryAfter: 0 });
    expect(api.requests.length).toBe(3);
    const once = createClient({ baseUrl: api.url, tokens: async () => 'a', retries: 0 });
    api.respondWith('lost');
    expect(await failure(once.get('/patients/me'))).toMatchObject({ code: 'network', status: 0 });
    expect(api.requests.length).toBe(1);
  });

  test('does not repeat a call when the wait is long', async () => {
    api.respondWith(errorReply(429, 'rate_limited', {}, { 'retry-after': '60' }));
    expect(await failure(carelane.get('/patients/me'))).toMatchObject({ code: 'rate_limited', retryAfter: 60 });
    expect(api.requests.length).toBe(1);
  });

  test('repeats PATCH or DELETE only when they were not executed', async () => {
    const path = { id: 'a' };
    for (const reply of ['lost' as const, errorReply(500, 'internal_error')]) {
      api.respondWith(reply, { body: {} });
      await failure(carelane.patch('/patients/{id}', { path, body: {} }));
      expect(api.requests.length).toBe(1);
      api.respondWith(reply, { body: {} });
      await failure(carelane.delete('/patients/{id}/archive', { path }));
      expect(api.requests.length).toBe(1);
    }
    api.respondWith(errorReply(429, 'rate_limited', {}, NOW), { body: {} });
    await carelane.delete('/patients/{id}/archive', { path });
    expect(api.requests.length).toBe(2);
    api.respondWith(errorReply(503, 'provider_unavailable', { meta: { retry_safe: false } }, NOW), { body: {} });
    await failure(carelane.delete('/patients/{id}/archive', { path }));
    expect(api.requests.length).toBe(1);
  });

  test('requests a new token once when the API rejects the token', async () => {
    for (const code of ['invalid_token', 'expired_token']) {
      rejectedTokens.length = 0;
      api.respondWith(errorReply(401, code), { body: {} });
      await carelane.post('/appointments', { body: BOOKING });
      expect(rejectedTokens).toEqual([undefined, 'first']);
      expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
      expect(new Set(api.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }
    api.respondWith(errorReply(401, 'invalid_token'));
    expect(await failure(carelane.get('/patients/me'))).toMatchObject({ code: 'invalid_token', status: 401 });
    expect(api.requests.length).toBe(2);
    api.respondWith(errorReply(401, 'wrong_environment'));
    expect(await failure(carelane.get('/patients/me'))).toMatchObject({ code: 'wrong_environment' });
    expect(api.requests.length).toBe(1);
  });

  test('throws the error of the token source without sending a request', async () => {
    const thrown = new Error('No user is signed in.');
    const unauthenticated = createClient({ baseUrl: api.url, tokens: () => Promise.reject(thrown) });
    api.respondWith({});
    expect(await failure(unauthenticated.get('/patients/me'))).toBe(thrown);
    expect(api.requests).toEqual([]);
  });

  test('aborts with its signal, also while it waits for the next attempt, and after the timeout', async () => {
    const controller = new AbortController();
    api.respondWith(errorReply(503, 'service_busy', {}, { 'retry-after': '15' }));
    const waiting = failure(carelane.get('/patients/me', { signal: controller.signal }));
    await expect.poll(() => api.requests.length).toBe(1);
    controller.abort(new Error('left'));
    expect(await waiting).toMatchObject({ message: 'left' });
    expect(await failure(carelane.get('/patients/me', { signal: controller.signal }))).toMatchObject({
      message: 'left',
    });
    expect(api.requests.length).toBe(1);
    const neverResponds = (_: unknown, { signal }: RequestInit = {}) =>
      new Promise<Response>((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
    const impatient = createClient({
      baseUrl: api.url,
      tokens: async () => 'a',
      timeoutMs: 20,
      retries: 1,
      fetch: neverResponds,
    });
    expect(await failure(impatient.get('/patients/me'))).toMatchObject({ code: 'timeout' });
  });
});

describe('all()', () => {
  let api: FakeApi;
  beforeAll(async () => {
    api = await startFakeApi();
  });
  afterAll(() => api.stop());
  const page = (ids: string[], after?: string): Reply => ({
    body: ids.map((id) => ({ id })),
    headers: after
      ? {
          link: `<https://inside.example/api/v1/patients?size=2&starting_after=${after}>; rel="next", <https://inside.example/api/v1/patients?size=2>; rel="prev"`,
        }
      : {},
  });

  test('requests pages from the configured host as they are read', async () => {
    const carelane = createClient({ baseUrl: api.url, tokens: async () => 'a' });
    api.respondWith(page(['1', '2'], '2'), page(['3', '4'], '4'), page(['5']));
    const ids: string[] = [];
    for await (const { id } of carelane.all('/patients', { query: { size: 2 } })) ids.push(id);
    expect(ids).toEqual(['1', '2', '3', '4', '5']);
    expect(api.requests.map(({ url }) => url)).toEqual([
      '/patients?size=2',
      '/patients?size=2&starting_after=2',
      '/patients?size=2&starting_after=4',
    ]);
    api.respondWith(page(['1', '2'], '2'));
    for await (const { id } of carelane.all('/patients')) if (id === '2') break;
    expect(api.requests.length).toBe(1);
  });

  test('throws the error of a page', async () => {
    const carelane = createClient({ baseUrl: api.url, tokens: async () => 'a' });
    api.respondWith(page(['1'], '1'), errorReply(403, 'forbidden'));
    const ids: string[] = [];
    const read = async () => {
      for await (const { id } of carelane.all('/patients')) ids.push(id);
    };
    await expect(read()).rejects.toMatchObject({ code: 'forbidden' });
    expect(ids).toEqual(['1']);
  });
});
