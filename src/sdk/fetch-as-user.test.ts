import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { passwordless, user } from './node.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { memoryStorage } from './vault.ts';

describe('user.fetch()', () => {
  let identity: FakeIdentity;
  let api: string;
  let statuses: number[];
  const requests: { url: string; init: RequestInit; headers: Headers }[] = [];
  /** A fake API; requests for signing in go to the service. */
  const fakeFetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = String(input);
    if (!url.startsWith(api)) return fetch(url, init);
    requests.push({ url, init, headers: new Headers(init.headers) });
    if (statuses[0] === 0) throw new TypeError('fetch failed');
    init.signal?.throwIfAborted();
    return new Response('{}', { status: statuses.shift() ?? 200 });
  };
  beforeAll(async () => {
    identity = await startFakeIdentity();
    identity.add({ phone: '+12025550123', isConfirmed: true });
  });
  beforeEach(async () => {
    const token = identity.configurationToken('passwordless');
    api = passwordless.configure(token, { storage: memoryStorage(), fetch: fakeFetch }).baseUrl;
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    requests.length = 0;
    statuses = [];
  });
  afterAll(() => identity.close());

  test('sends the token and the given options to a path of the API', async () => {
    const init = { method: 'PATCH', body: '{"first_name":"Ada"}', headers: { 'content-type': 'application/json' } };
    expect((await user.fetch('/patients/me?a=1', init)).status).toBe(200);
    const [{ url, init: sent, headers }] = requests as [(typeof requests)[0]];
    expect([url, sent.method, sent.body]).toEqual([`${api}/patients/me?a=1`, 'PATCH', init.body]);
    expect(headers.get('authorization')).toBe(`Bearer ${await user.getAccessToken()}`);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.has('idempotency-key')).toBe(false);
  });

  test.each(['https://elsewhere.example/patients/me', '@elsewhere.example/', '', 'patients/me', undefined])(
    'sends no token to %s',
    async (path) => {
      await expect(user.fetch(path as string)).rejects.toMatchObject({ code: 'invalid_parameter' });
      expect(requests).toEqual([]);
    },
  );

  test('refreshes the token once after a 401, and returns further errors as responses', async () => {
    statuses = [401];
    expect((await user.fetch('/patients/me')).status).toBe(200);
    const [before, after] = requests.map(({ headers }) => headers.get('authorization'));
    expect(after).not.toBe(before);
    statuses = [401, 401];
    expect((await user.fetch('/patients/me')).status).toBe(401);
    statuses = [403];
    expect((await user.fetch('/patients')).status).toBe(403);
  });

  test('throws when the session has ended elsewhere', async () => {
    identity.sessions.pop();
    statuses = [401];
    await expect(user.fetch('/patients/me')).rejects.toMatchObject({ name: 'SignInRequiredError' });
    await expect(user.fetch('/patients/me')).rejects.toMatchObject({ name: 'NotSignedInError' });
  });

  test('uses the same Idempotency-Key for both attempts of a POST, or the given one', async () => {
    statuses = [401];
    await user.fetch('/appointments', { method: 'post', body: '{}' });
    await user.fetch('/appointments', { method: 'POST', headers: { 'Idempotency-Key': 'mine' } });
    const [first, retried, mine] = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([retried, mine]).toEqual([first, 'mine']);
  });

  test('does not repeat a request whose body is a stream', async () => {
    statuses = [401];
    const body = new ReadableStream();
    expect((await user.fetch('/appointments', { method: 'POST', body })).status).toBe(401);
    expect(requests.length).toBe(1);
  });

  test('throws NetworkError when offline, and the reason of an aborted signal', async () => {
    statuses = [0];
    await expect(user.fetch('/patients/me')).rejects.toMatchObject({ name: 'NetworkError', retryable: true });
    statuses = [];
    const signal = AbortSignal.abort(new Error('left'));
    await expect(user.fetch('/patients/me', { signal })).rejects.toThrow('left');
  });
});
