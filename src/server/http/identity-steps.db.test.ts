import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';

const LOCAL = 'http://localhost:5173';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
});
afterAll(() => bench?.stop());

const PATH = '/identity/passwordless/sign_in';
const raw = (body: string, type = 'application/json', path = PATH) =>
  fetch(`${bench.url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
const valid = () => ({ client_id: clinic.passwordless, phone_number: '+12025550111' });

describe('a sign-in step', () => {
  test.each([
    ['invalid JSON', () => raw('{'), 400, 'malformed_json'],
    ['a list', () => raw('[]'), 400, 'malformed_request'],
    ['a form', () => raw('a=b', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type'],
    ['an empty body', () => raw(''), 422, 'missing_parameter'],
    ['one field too many', () => raw(JSON.stringify({ ...valid(), extra: 1 })), 422, 'unknown_parameter'],
    ['a NUL', () => raw(JSON.stringify({ ...valid(), phone_number: 'a\u0000' })), 422, 'invalid_parameter'],
    [
      'parameters in the address',
      () => raw(JSON.stringify(valid()), undefined, `${PATH}?code=1`),
      400,
      'malformed_request',
    ],
    ['more than 64 KiB', () => raw(`{"phone_number":"${'x'.repeat(64 * 1024)}"}`), 413, 'body_too_large'],
    ['1 MiB', () => raw(`"${'x'.repeat(1024 * 1024)}"`), 413, 'body_too_large'],
    ['a GET', () => fetch(`${bench.url}${PATH}`), 405, 'method_not_allowed'],
    ['an unknown address', () => raw('{}', undefined, '/identity/nothing'), 404, 'route_not_found'],
  ] as [string, () => Promise<Response>, number, string][])('rejects %s', async (_, send, status, code) => {
    const response = await send();
    const body = (await response.json()) as {
      errors: { code: string; title: string; detail: string }[];
      request_id: string;
    };
    expect([response.status, body.errors[0]?.code]).toEqual([status, code]);
    expect(body.errors[0]).toMatchObject({ title: expect.any(String), detail: expect.any(String) });
    expect(body.request_id).toBe(response.headers.get('request-id'));
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test("is open to apps on the developer's machine in a sandbox, and to no other origin", async () => {
    const sendPreflight = (origin: string) =>
      fetch(`${bench.url}${PATH}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'PUT' },
      });
    const local = await sendPreflight(LOCAL);
    expect(local.status).toBe(204);
    expect(local.headers.get('access-control-allow-origin')).toBe(LOCAL);
    expect(local.headers.get('access-control-allow-methods')).toContain('PUT');
    expect((await sendPreflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    const response = await bench.post('/passwordless/sign_in', valid(), { headers: { origin: LOCAL } });
    expect(response.headers.get('access-control-allow-origin')).toBe(LOCAL);
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After');
    const token = await bench.call('POST', '/identity/oauth2/token', undefined, {
      form: { grant_type: 'refresh_token', refresh_token: 'x', client_id: clinic.passwordless },
      headers: { origin: LOCAL },
    });
    expect([token.status, token.headers.get('access-control-allow-origin')]).toEqual([400, LOCAL]);
  });

  test('treats one number in two tenants as two patients', async () => {
    const otherTenant = await bench.tenant();
    const phone_number = '+12025550112';
    for (const { passwordless: client_id } of [clinic, otherTenant])
      expect((await bench.post('/passwordless/sign_up', { client_id, phone_number, attempt: ATTEMPT })).status).toBe(
        202,
      );
    const { body } = await bench.post('/passwordless/sign_in', { client_id: otherTenant.passwordless, phone_number });
    const code = await bench.codeFor(phone_number);
    const [, random] = body.challenge.split('.');
    const moved = `${Buffer.from(clinic.ctx.tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.${random}`;
    expect((await bench.post('/passwordless/complete', { challenge: moved, code })).status).toBe(422);
    const done = await bench.post('/passwordless/complete', { challenge: body.challenge, code });
    expect(done.body.user.tenant_id).toBe(otherTenant.ctx.tenantId);
    expect((await bench.refresh(clinic.passwordless, done.body.refresh_token)).body.error).toBe('invalid_grant');
  });
});
