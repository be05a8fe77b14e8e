import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errorReply, type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { clientCredentials, impersonation, sdkSession } from './token-sources.ts';

describe('token sources', () => {
  let api: FakeApi;
  let now = 0;
  const application = () => ({
    tokenUrl: `${api.url}/token`,
    clientId: 'id',
    clientSecret: 'a secret',
    now: () => now,
  });
  const token = (name: string, expires_in = 3600) => ({
    body: { access_token: name, expires_in, token_type: 'Bearer' },
  });
  beforeAll(async () => {
    api = await startFakeApi();
  });
  beforeEach(() => {
    now = 0;
  });
  afterAll(() => api.stop());

  test('clientCredentials caches its token until a minute before it expires, with one request for concurrent callers', async () => {
    const tokens = clientCredentials(application());
    api.respondWith(token('one'), token('two'));
    expect(await Promise.all([tokens(), tokens(), tokens()])).toEqual(['one', 'one', 'one']);
    expect(api.requests.map(({ body }) => body)).toEqual([
      'grant_type=client_credentials&client_id=id&client_secret=a+secret',
    ]);
    now = 3_539_000;
    expect(await tokens()).toBe('one');
    now = 3_541_000;
    expect(await tokens()).toBe('two');
  });

  test.each(['', undefined, '/identity/oauth2/token'])('clientCredentials rejects %j as tokenUrl', (tokenUrl) => {
    expect(() => clientCredentials({ ...application(), tokenUrl: tokenUrl as string })).toThrow(TypeError);
  });

  test('replaces a rejected token once for all callers who had it', async () => {
    const tokens = clientCredentials(application());
    api.respondWith(token('one'), token('two'), token('three'));
    await tokens();
    expect(await Promise.all([tokens('one'), tokens('one')])).toEqual(['two', 'two']);
    expect(await tokens('one')).toBe('two');
    expect(api.requests.length).toBe(2);
  });

  test('impersonation names the patient by id or email', async () => {
    api.respondWith(token('patient'));
    expect(await impersonation({ ...application(), patientId: 'p' })()).toBe('patient');
    expect(await impersonation({ ...application(), email: 'ada@example.test' })()).toBe('patient');
    expect(api.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toMatchObject([
      { subject_token: 'p', subject_token_type: 'urn:carelane:params:oauth:token-type:patient-id' },
      { subject_token: 'ada@example.test', subject_token_type: 'urn:carelane:params:oauth:token-type:patient-email' },
    ]);
  });

  test('throws the reason when there is no token, and tries again on the next call', async () => {
    const tokens = clientCredentials(application());
    api.respondWith(
      { status: 401, body: { error: 'invalid_client', error_description: 'The secret is wrong.' } },
      token('one'),
    );
    await expect(tokens()).rejects.toMatchObject({
      code: 'invalid_client',
      status: 401,
      message: 'The secret is wrong.',
    });
    expect(await tokens()).toBe('one');
    api.respondWith({ body: { access_token: 'without an end' } });
    await expect(clientCredentials(application())()).rejects.toMatchObject({ code: 'unexpected_answer' });
    api.respondWith({ status: 307, headers: { location: 'http://127.0.0.1:9/' } });
    await expect(clientCredentials(application())()).rejects.toMatchObject({ code: 'unexpected_answer' });
  });

  test('retries when there was no response', async () => {
    api.respondWith('lost', errorReply(503, 'service_busy', {}, { 'retry-after': '0' }), token('one'));
    expect(await clientCredentials(application())()).toBe('one');
  });

  test('sdkSession renews a rejected token, unless it was renewed already', async () => {
    const calls: unknown[] = [];
    let current = 'one';
    const user = {
      async getAccessToken(options?: { renew?: boolean }) {
        calls.push(options);
        if (options?.renew) current = 'two';
        return current;
      },
    };
    const tokens = sdkSession({ user });
    expect([await tokens(), await tokens('one'), await tokens('one')]).toEqual(['one', 'two', 'two']);
    expect(calls).toEqual([undefined, undefined, { renew: true }, undefined]);
  });
});
