import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { request as send } from 'node:http';
import { base64url, decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { createPortalHandler } from '#server/http/trpc-handler.ts';
import {
  addSigningKey,
  currentKey,
  invalidateKeys,
  publishedKeys,
  withKeysLocked,
} from '#server/identity/tokens/signing-keys.ts';
import { withClinic } from './clinic.ts';
import { asFetch } from './http-server.ts';
import { ATTEMPT, register } from './password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from './patient-sign-in.ts';

type Tokens = { access_token: string; refresh_token: string; user: { user_id: string } };

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let elsewhere: Awaited<ReturnType<SignInBench['tenant']>>;
let mine: Tokens;
let ended: Tokens;
let other: Tokens;
let otherTenants: Tokens;
let claims: JWTPayload;
let ours: { kid: string; privateKey: KeyObject; publicPem: string };
let retired: { kid: string; privateKey: KeyObject };
let challenge: string;
let handshake: string;

async function byPhone({ passwordless: client_id }: typeof clinic, phone_number: string): Promise<Tokens> {
  await bench.post('/passwordless/sign_up', { client_id, phone_number, attempt: ATTEMPT });
  const { body } = await bench.post('/passwordless/sign_in', { client_id, phone_number });
  const code = await bench.codeFor(phone_number);
  return (await bench.post('/passwordless/complete', { challenge: body.challenge, code })).body;
}

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  elsewhere = await bench.tenant();
  mine = await byPhone(clinic, '+12025550101');
  other = await byPhone(clinic, '+12025550102');
  otherTenants = await byPhone(elsewhere, '+12025550103');
  ended = await byPhone(clinic, '+12025550104');
  await bench.post('/user/sign_out', {}, { token: ended.access_token });
  claims = decodeJwt(mine.access_token);
  const { services } = bench;
  const key = await currentKey(services);
  const publicPem = key.publicKey.export({ format: 'pem', type: 'spki' }) as string;
  ours = { kid: key.kid, privateKey: key.privateKey, publicPem };
  retired = await retireOne();
  const signIn = { client_id: clinic.passwordless, phone_number: '+12025550105' };
  challenge = (await bench.post('/passwordless/sign_in', signIn)).body.challenge;
  const half = { client_id: clinic.credentials, email: 'ada@example.test', A: register('a long enough one').verifier };
  handshake = (await bench.post('/credentials/srp/start', half)).body.handshake;
});
afterAll(() => bench?.stop());

/** Creates a signing key that is already retired. */
async function retireOne(): Promise<typeof retired> {
  const { services, clock } = bench;
  const past = new Date(clock.now().getTime() - 2 * 60 * MINUTE);
  const { kid } = await withKeysLocked(services, (tx) => addSigningKey(tx, services, past));
  invalidateKeys(services);
  const { privateKey } = (await publishedKeys(services)).find((one) => one.kid === kid)!;
  const retiredAt = new Date(clock.now().getTime() - MINUTE);
  await services.database.system.signingKey.update({ where: { kid }, data: { retiredAt } });
  invalidateKeys(services);
  return { kid, privateKey };
}

const sign = (payload: JWTPayload, header: Record<string, unknown> = {}, key: KeyObject = ours.privateKey) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: ours.kid, ...header }).sign(key);
const newKeyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const encode = (value: object) => base64url.encode(JSON.stringify(value));
const seconds = (fromNow: number) => Math.floor(bench.clock.now().getTime() / SECOND) + fromNow;
const part = (index: number) => mine.access_token.split('.')[index]!;
const shared = (key: string) => sign(claims, { alg: 'HS256' }, createSecretKey(Buffer.from(key)));
const sidOf = (tokens: Tokens) => decodeJwt(tokens.access_token).sid;
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const ENDPOINTS = [
  ['the REST API', '/api/v1/patients/me'],
  ['the patient’s own endpoints', '/identity/user'],
  ['userinfo', '/identity/userinfo'],
] as const;

const sendRequest = (path: string, authorization: string | string[], method = 'GET') =>
  new Promise<{ status: number; code: string; challenge: string | undefined }>((resolve, reject) => {
    const sent = send(`${bench.url}${path}`, { method }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          code: text ? JSON.parse(text).errors?.[0].code : undefined,
          challenge: response.headers['www-authenticate'],
        }),
      );
    });
    sent.on('error', reject);
    sent.setHeader('authorization', authorization);
    sent.end();
  });

test.each(ENDPOINTS)('%s accepts a session token, and a re-signed copy of it', async (_, path) => {
  expect((await sendRequest(path, `Bearer ${mine.access_token}`)).status).toBe(200);
  expect((await sendRequest(path, `Bearer ${await sign(claims)}`)).status).toBe(200);
});

test('a session token has the documented claims and expires after an hour', () => {
  const { iat, exp, jti, ...rest } = claims;
  expect(exp! - iat!).toBe(3600);
  expect(jti).toMatch(/^[0-9a-f-]{36}$/);
  expect(rest).toEqual({
    iss: `${bench.url}/identity`,
    aud: `${bench.url}/api/v1`,
    sub: mine.user.user_id,
    client_id: clinic.passwordless,
    sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    scope: expect.stringContaining('patients:read'),
    tenant_id: clinic.ctx.tenantId,
    user_type: 'Patient',
    env: 'sandbox',
  });
  expect(decodeProtectedHeader(mine.access_token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: ours.kid });
});

const FORGERIES: [string, () => string | Promise<string>, string?][] = [
  ['alg none', () => `${encode({ alg: 'none', typ: 'at+jwt', kid: ours.kid })}.${part(1)}.`],
  ['alg None, signed', () => `${encode({ alg: 'None', typ: 'at+jwt', kid: ours.kid })}.${part(1)}.${part(2)}`],
  ['no alg', () => `${encode({ typ: 'at+jwt', kid: ours.kid })}.${part(1)}.${part(2)}`],
  ['HS256 with the public key as its secret', () => shared(ours.publicPem)],
  ['HS256 with the kid as its secret', () => shared(ours.kid)],
  ['RS256 under our kid', () => sign(claims, { alg: 'RS256' }, rsa())],
  ['PS256 under our kid', () => sign(claims, { alg: 'PS256' }, rsa())],
  ['ES256 by another key under our kid', () => sign(claims, {}, newKeyPair().privateKey)],
  ['a signature in DER', () => `${part(0)}.${part(1)}.MEUCIQDx`],
  ['an empty signature', () => `${part(0)}.${part(1)}.`],
  ['a signature of zeros', () => `${part(0)}.${part(1)}.${base64url.encode(new Uint8Array(64))}`],
  ['a foreign kid', () => sign(claims, { kid: newId() }, newKeyPair().privateKey)],
  ['a kid that is a path', () => sign(claims, { kid: '../../../../dev/null' })],
  ['a kid that is SQL', () => sign(claims, { kid: `' or 1=1 --` })],
  ['a kid that is no text', () => sign(claims, { kid: { $ne: null } })],
  ['a kid of many characters', () => sign(claims, { kid: 'k'.repeat(1500) })],
  ['jku', () => sign(claims, { kid: 'x', jku: 'http://127.0.0.1:9/jwks.json' }, newKeyPair().privateKey)],
  ['x5u', () => sign(claims, { kid: 'x', x5u: 'http://127.0.0.1:9/cert.pem' }, newKeyPair().privateKey)],
  [
    'jwk',
    () => {
      const pair = newKeyPair();
      return sign(claims, { kid: 'x', jwk: pair.publicKey.export({ format: 'jwk' }) }, pair.privateKey);
    },
  ],
  [
    'an unknown crit',
    () => `${encode({ alg: 'ES256', typ: 'at+jwt', kid: ours.kid, crit: ['x'], x: 1 })}.${part(1)}.${part(2)}`,
  ],
  ['a retired key', () => sign(claims, { kid: retired.kid }, retired.privateKey)],
  ['typ JWT', () => sign(claims, { typ: 'JWT' })],
  ['typ left out', () => sign(claims, { typ: undefined })],
  ['an id token', () => sign({ ...claims, nonce: 'n', auth_time: claims.iat }, { typ: 'JWT' })],
  ['another aud', () => sign({ ...claims, aud: 'https://example.test/api/v1' })],
  ['the client as aud', () => sign({ ...claims, aud: String(claims.client_id) })],
  ['another iss', () => sign({ ...claims, iss: 'https://example.test/identity' })],
  ['expired', () => sign({ ...claims, iat: seconds(-3601), exp: seconds(-1) }), 'expired_token'],
  ['no exp', () => sign({ ...claims, exp: undefined })],
  ['exp as text', () => sign({ ...claims, exp: String(claims.exp) as unknown as number })],
  ['a life of two hours', () => sign({ ...claims, exp: seconds(7200) })],
  ['nbf ahead', () => sign({ ...claims, nbf: seconds(60) })],
  ['iat ahead by more than clocks differ', () => sign({ ...claims, iat: seconds(60), exp: seconds(600) })],
  ['another environment', () => sign({ ...claims, env: 'production' }), 'wrong_environment'],
  ['another tenant', () => sign({ ...claims, tenant_id: elsewhere.ctx.tenantId })],
  ['another tenant’s patient', () => sign({ ...claims, sub: otherTenants.user.user_id })],
  ['another patient of the clinic', () => sign({ ...claims, sub: other.user.user_id })],
  ['the session of another patient', () => sign({ ...claims, sid: sidOf(other) })],
  ['a session that has ended', () => sign({ ...claims, sid: sidOf(ended), sub: ended.user.user_id })],
  ['a session that never was', () => sign({ ...claims, sid: newId() })],
  ['no session', () => sign({ ...claims, sid: undefined })],
  ['a session and an actor', () => sign({ ...claims, act: { sub: String(claims.client_id) } })],
  ['an actor in place of the session', () => sign({ ...claims, sid: undefined, act: { sub: newId() } })],
  ['the other flow’s app', () => sign({ ...claims, client_id: clinic.credentials })],
  ['another user type', () => sign({ ...claims, user_type: 'Application', sub: claims.client_id as string })],
  ['an administrator', () => sign({ ...claims, user_type: 'Admin' })],
  ['the token after its session ended', () => ended.access_token],
  ['a refresh token', () => mine.refresh_token],
  ['a challenge', () => challenge],
  ['a handshake', () => handshake],
  ['a continuation, checkout link or visit link', () => newLinkToken(clinic.ctx.tenantId)],
  ['a configuration token', () => `care_sandbox_${encode({ v: 1, client_id: clinic.passwordless })}`],
  ['a client id', () => clinic.passwordless],
];

describe.each(ENDPOINTS)('%s rejects as a bearer token', (_, path) => {
  test.each(FORGERIES)('%s', async (__, forge, code = 'invalid_token') => {
    expect(await sendRequest(path, `Bearer ${await forge()}`)).toEqual({
      status: 401,
      code,
      challenge: expect.stringMatching(/^Bearer realm="carelane", error="invalid_token", error_description="[^"]+"$/),
    });
  });

  test('two tokens, even if one is valid', async () => {
    const good = `Bearer ${mine.access_token}`;
    for (const pair of [
      [good, good],
      [good, `Bearer ${other.access_token}`],
      ['Basic eDp5', good],
    ])
      expect((await sendRequest(path, pair)).status).toBe(401);
  });

  test('another authentication scheme', async () => {
    for (const header of [`Basic ${btoa(`x:${mine.access_token}`)}`, `DPoP ${mine.access_token}`, mine.access_token])
      expect(await sendRequest(path, header)).toMatchObject({
        code: 'missing_token',
        challenge: 'Bearer realm="carelane"',
      });
  });
});

test('accepts a clock skew of a few seconds', async () => {
  const ahead = await sign({ ...claims, iat: seconds(10), exp: seconds(600) });
  for (const [, path] of ENDPOINTS) expect((await sendRequest(path, `Bearer ${ahead}`)).status).toBe(200);
});

test('a token in the URL, the body or a cookie does not authenticate', async () => {
  const inQuery = `access_token=${mine.access_token}`;
  for (const [, path] of ENDPOINTS) expect((await bench.call('GET', `${path}?${inQuery}`)).status).toBe(401);
  const body = { access_token: mine.access_token, first_name: 'Mallory' };
  const patch = await bench.call('PATCH', `/api/v1/patients/${mine.user.user_id}`, body);
  expect([patch.status, patch.body.errors[0].code]).toEqual([401, 'missing_token']);
  const cookie = { cookie: `access_token=${mine.access_token}; carelane.session=${mine.access_token}` };
  for (const [, path] of ENDPOINTS)
    expect((await bench.call('GET', path, undefined, { headers: cookie })).status).toBe(401);
});

describe('a valid session token', () => {
  test('does not authenticate at the portal', async () => {
    const portal = asFetch(createPortalHandler(bench.services));
    for (const headers of [
      { authorization: `Bearer ${mine.access_token}` },
      { cookie: `__Host-next-auth.session-token=${mine.access_token}; next-auth.session-token=${mine.access_token}` },
    ] as Record<string, string>[]) {
      const response = await portal(new Request(`${bench.url}/api/trpc/patients.list?input={}`, { headers }));
      expect(response.status).toBe(401);
    }
  });

  test('does not sign a webhook', async () => {
    const headers = { 'stripe-signature': `t=1,v1=${mine.access_token}`, 'x-acuity-signature': mine.access_token };
    for (const path of ['/api/webhooks/stripe', `/api/webhooks/acuity/${clinic.ctx.tenantId}`]) {
      const response = await bench.call('POST', path, {}, { token: mine.access_token, headers });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
    }
    expect(await clinic.ctx.db.inboundEvent.count()).toBe(0);
  });

  test('is neither a refresh token nor a client authentication at the token endpoint', async () => {
    expect((await bench.refresh(clinic.passwordless, mine.access_token)).body.error).toBe('invalid_grant');
    const form = { grant_type: 'client_credentials' };
    const response = await bench.call('POST', '/identity/oauth2/token', undefined, { form, token: mine.access_token });
    expect([response.status, response.body.error]).toEqual([401, 'invalid_client']);
  });
});
