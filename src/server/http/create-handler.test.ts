import { describe, expect, test, vi } from 'vitest';
import type { Services } from '../core/context.ts';
import { notFound } from '../core/errors.ts';
import { createRateLimiter } from '../core/rate-limiter.ts';
import { createHandler } from './create-handler.ts';
import type { HttpRequest, HttpResponse } from './handler.ts';

const clock = { now: () => new Date('2026-01-05T10:00:00Z') };

function createTestServices() {
  const error = vi.fn();
  // Four requests a minute of one address.
  const config = { requestsPerMinute: 1 };
  const database = { system: { $queryRaw: async () => [] } };
  const rateLimiter = createRateLimiter({ clock, database, log: { warn: vi.fn() } } as never);
  const services = { clock, config, log: { error }, rateLimiter } as unknown as Services;
  return { services, error };
}

const requestOf = (method: string): HttpRequest => ({
  method,
  path: '/secret-token',
  query: new URLSearchParams(),
  header: () => null,
  body: async () => new Uint8Array(),
  ip: '192.0.2.1',
});
const errorsOf = ({ body }: HttpResponse) => JSON.parse(body ?? '{}').errors;
const ok: HttpResponse = { status: 200, headers: {}, body: 'done' };

describe('a handler', () => {
  test('adds a request id and forbids caching unless the response allows it', async () => {
    const { services } = createTestServices();
    const headersFor = async (headers: Record<string, string>) =>
      (await createHandler(services, { name: 'test', handle: async () => ({ ...ok, headers }) })(requestOf('GET')))
        .headers;
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(await headersFor({})).toEqual({ 'cache-control': 'no-store', 'request-id': id });
    expect(await headersFor({ 'cache-control': 'public' })).toEqual({ 'cache-control': 'public', 'request-id': id });
  });

  test('returns 405 with `allow` before it handles a request with another method', async () => {
    const { services } = createTestServices();
    const handle = vi.fn(async () => ok);
    const handler = createHandler(services, { name: 'test', methods: ['GET', 'HEAD'], handle });
    const response = await handler(requestOf('POST'));
    expect(response).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(handle).not.toHaveBeenCalled();
    expect(await handler(requestOf('HEAD'))).toMatchObject(ok);
  });

  test('counts a request against the limit of its address before it checks the method', async () => {
    const { services } = createTestServices();
    const handler = createHandler(services, { name: 'test', methods: ['GET'], handle: async () => ok });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await handler(requestOf('PUT'))).status);
    expect(statuses).toEqual([405, 405, 405, 405, 429]);
    const uncounted = createHandler(services, { name: 'test', hasAddressLimit: () => false, handle: async () => ok });
    expect(await uncounted(requestOf('GET'))).toMatchObject(ok);
  });

  test('returns an error of the contract with the request id', async () => {
    const { services, error } = createTestServices();
    const handle = async () => Promise.reject(notFound('picture'));
    const response = await createHandler(services, { name: 'test', handle })(requestOf('GET'));
    expect(response.status).toBe(404);
    expect(JSON.parse(response.body ?? '').request_id).toBe(response.headers['request-id']);
    expect(errorsOf(response)[0]).not.toHaveProperty('people');
    expect(error).not.toHaveBeenCalled();
    const forPeople = await createHandler(services, { name: 'test', forPeople: true, handle })(requestOf('GET'));
    expect(errorsOf(forPeople)[0]).toHaveProperty('people');
  });

  test('logs an unexpected error, without the path, and does not show it', async () => {
    const { services, error } = createTestServices();
    const handle = async () => Promise.reject(new Error('a detail'));
    const response = await createHandler(services, { name: 'test', handle })(requestOf('GET'));
    expect(response.status).toBe(500);
    expect(errorsOf(response)).toMatchObject([{ code: 'internal_error', detail: 'Something went wrong on our side.' }]);
    const [line, message] = error.mock.calls[0] ?? [];
    expect(line).toEqual({
      requestId: response.headers['request-id'],
      handler: 'test',
      err: expect.stringContaining('a detail'),
    });
    expect(message).toBe('unexpected error');
    expect(JSON.stringify(line)).not.toContain('secret-token');
  });
});
