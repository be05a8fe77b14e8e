import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fetch } from './http.ts';
import { impersonation, machineToMachine } from './node.ts';

const MINUTE = 60_000;
let urlCount = 0;

describe('server functions', () => {
  let url: string;
  let now: number;
  let requests: URLSearchParams[];
  let reply: () => Response;
  const options = {
    now: () => now,
    fetch: (async (_, request) => {
      requests.push(new URLSearchParams(String(request?.body)));
      return reply();
    }) as Fetch,
  };
  const token = () => machineToMachine.getAccessToken(url, 'client', 's&cret=%', options);

  beforeEach(() => {
    // The cache outlives a test, so each test has its own URL.
    url = `https://auth.example.test/${urlCount++}`;
    now = 0;
    requests = [];
    reply = () => Response.json({ access_token: `token-${requests.length}`, token_type: 'Bearer', expires_in: 3600 });
  });

  test('requests one token for many callers, and a new one 60 s before it expires', async () => {
    const tokens = await Promise.all(Array.from({ length: 100 }, token));
    expect(new Set(tokens)).toEqual(new Set(['token-1']));
    now = 58.9 * MINUTE;
    expect(await token()).toBe('token-1');
    now = 59 * MINUTE;
    expect(await token()).toBe('token-2');
    expect(Object.fromEntries(requests[0]!)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client',
      client_secret: 's&cret=%',
    });
  });

  test('does not share tokens between clients or secrets', async () => {
    await token();
    await machineToMachine.getAccessToken(url, 'client', 'other', options);
    await machineToMachine.getAccessToken(`${url}/b`, 'client', 's&cret=%', options);
    expect(requests).toHaveLength(3);
  });

  test('does not cache an error', async () => {
    reply = () => Response.json({ error: 'invalid_client', error_description: 'No such client.' }, { status: 401 });
    const failed = await Promise.allSettled([token(), token()]);
    for (const result of failed)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { name: 'ConfigurationError', code: 'invalid_client' },
      });
    reply = () => Response.json({ access_token: 'later', expires_in: 3600 });
    expect(await token()).toBe('later');
    expect(requests).toHaveLength(2);
  });

  test.each([
    [() => Response.json({ expires_in: 3600 }), 'unexpected_answer'],
    [() => new Response('<html>', { status: 200 }), 'unexpected_answer'],
    [() => new Response('', { status: 502 }), 'service_unavailable'],
    [() => Response.json({ error: 'slow_down' }, { status: 400, headers: { 'retry-after': '7' } }), 'rate_limited'],
  ])('throws the right error code %#', async (response, code) => {
    reply = response;
    await expect(token()).rejects.toMatchObject({ code });
  });

  test('requests a new token for each impersonation by email', async () => {
    const impersonate = () => impersonation.signIn('Ada@example.test', url, 'client', 'secret', options);
    expect([await impersonate(), await impersonate()]).toEqual(['token-1', 'token-2']);
    expect(Object.fromEntries(requests[0]!)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: 'client',
      client_secret: 'secret',
      subject_token: 'ada@example.test',
      subject_token_type: 'urn:carelane:params:oauth:token-type:patient-email',
    });
  });

  test('impersonates a patient by id or by email', async () => {
    const patientId = '01981e2a-6f00-7000-8000-000000000001';
    const impersonate = (patient: unknown) => impersonation.signIn(patient as string, url, 'client', 'secret', options);
    await impersonate({ patientId: patientId.toUpperCase() });
    await impersonate({ email: ' Ada@Example.test' });
    expect(requests.map((form) => Object.fromEntries(form))).toMatchObject([
      { subject_token: patientId, subject_token_type: 'urn:carelane:params:oauth:token-type:patient-id' },
      { subject_token: 'ada@example.test', subject_token_type: 'urn:carelane:params:oauth:token-type:patient-email' },
    ]);
    const invalidPatients = [
      {},
      { patientId, email: 'ada@example.test' },
      { patientId: 'crm-1' },
      { patientId: null },
      { id: patientId },
    ];
    for (const invalid of invalidPatients)
      await expect(impersonate(invalid)).rejects.toMatchObject({
        name: 'InvalidInputError',
        code: 'invalid_parameter',
      });
    await expect(impersonate({ email: 'ada' })).rejects.toMatchObject({ code: 'invalid_email' });
    expect(requests).toHaveLength(2);
  });

  test('throws in a page, where a secret would be public', async () => {
    vi.stubGlobal('window', {});
    vi.stubGlobal('document', {});
    await expect(token()).rejects.toMatchObject({ name: 'ServerOnlyError', code: 'server_only' });
    await expect(impersonation.signIn('a@example.test', url, 'c', 's')).rejects.toMatchObject({ code: 'server_only' });
    vi.unstubAllGlobals();
    expect(requests).toHaveLength(0);
  });
});
