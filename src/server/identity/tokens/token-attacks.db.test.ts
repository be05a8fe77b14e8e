import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { base64url, decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Services } from '../../core/context.ts';
import { CarelaneError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { createApplication } from '../applications/router.ts';
import { authenticateBearer } from '../sessions/authenticate-bearer.ts';
import { issueAccessToken } from './issue-access-token.ts';
import { currentKey } from './signing-keys.ts';

describe('attacks on access tokens', () => {
  let clinic: Clinic;
  let services: Services;
  let production: Services;
  let token: string;
  let claims: JWTPayload;
  let otherTenant: string;
  let ours: { kid: string; privateKey: KeyObject; publicPem: string };

  beforeAll(async () => {
    clinic = await withClinic();
    ({ services } = clinic);
    production = { ...services, config: { ...services.config, environment: 'production' } };
    const tenant = await makeTenant(services);
    otherTenant = (await makeTenant(services)).id;
    const created = await createApplication(asAdmin(services, tenant), { name: 'Example', scopes: ['patients:read'] });
    const grant = {
      tenantId: tenant.id,
      clientId: created.application.id,
      secretId: created.application.secrets[0]!.id,
      scope: 'patients:read',
    };
    token = (await issueAccessToken(services, grant)).token;
    claims = decodeJwt(token);
    const key = await currentKey(services);
    const publicPem = key.publicKey.export({ format: 'pem', type: 'spki' }) as string;
    ours = { kid: key.kid, privateKey: key.privateKey, publicPem };
  });
  afterAll(() => clinic?.stop());

  const sign = (payload: JWTPayload, header: Record<string, unknown> = {}, key: KeyObject = ours.privateKey) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: ours.kid, ...header }).sign(key);
  const encode = (value: object) => base64url.encode(JSON.stringify(value));
  const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;
  const outcome = (authorization: string | null, by = services) =>
    authenticateBearer(by, authorization).then(
      (actor) => ({ actor }),
      (error: unknown) => {
        if (!(error instanceof CarelaneError)) throw error;
        return { code: error.code, status: error.status, challenge: error.headers['www-authenticate'] };
      },
    );

  test('accepts a valid token repeatedly and in any case of the scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect(await outcome(`${scheme} ${token}`)).toMatchObject({
        actor: { kind: 'application', tenantId: claims.tenant_id, clientId: claims.client_id },
      });
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
  });

  test('accepts a re-signed copy of the valid claims, so that each rejection below has one reason', async () => {
    expect(await outcome(`Bearer ${await sign(claims)}`)).toHaveProperty('actor');
  });

  test('returns missing_token with a bare challenge for no token or another scheme', async () => {
    for (const header of [null, '', 'Basic dXNlcjpwYXNz', token])
      expect(await outcome(header)).toEqual({
        code: 'missing_token',
        status: 401,
        challenge: 'Bearer realm="carelane"',
      });
  });

  const parts = () => token.split('.') as [string, string, string];
  const forgeries: [string, () => string | Promise<string>, string?][] = [
    ['nothing after the scheme', () => ''],
    ['not a JWT', () => 'abc'],
    ['two tokens', () => `${token} ${token}`],
    ['5,000 characters', () => 'a'.repeat(5000)],
    ['alg none', () => `${encode({ alg: 'none', typ: 'at+jwt' })}.${parts()[1]}.`],
    [
      'alg none with our kid',
      () => `${encode({ alg: 'none', typ: 'at+jwt', kid: ours.kid })}.${parts()[1]}.${parts()[2]}`,
    ],
    [
      'HS256 with our public key as the secret',
      () => sign(claims, { alg: 'HS256' }, createSecretKey(Buffer.from(ours.publicPem))),
    ],
    [
      'ES384 under our kid',
      () => sign(claims, { alg: 'ES384' }, generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey),
    ],
    ['an unknown kid', () => sign(claims, { kid: 'unknown' })],
    ['no kid', () => sign(claims, { kid: undefined })],
    [
      'another key under our kid',
      () => sign(claims, {}, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    ],
    [
      'a key of its own in the header',
      () => {
        const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        return sign(claims, { kid: 'mine', jwk: pair.publicKey.export({ format: 'jwk' }) }, pair.privateKey);
      },
    ],
    ['an address of keys in the header', () => sign(claims, { kid: 'mine', jku: 'https://example.test/jwks.json' })],
    ['typ JWT', () => sign(claims, { typ: 'JWT' })],
    ['no typ', () => sign(claims, { typ: undefined })],
    [
      'an unknown critical extension',
      async () =>
        `${encode({ alg: 'ES256', typ: 'at+jwt', kid: ours.kid, crit: ['x'], x: 1 })}.${parts()[1]}.${parts()[2]}`,
    ],
    ['another issuer', () => sign({ ...claims, iss: 'https://example.test/identity' })],
    ['another audience', () => sign({ ...claims, aud: 'https://example.test/api/v1' })],
    ['no audience', () => sign({ ...claims, aud: undefined })],
    ['a changed payload', () => `${parts()[0]}.${encode({ ...claims, scope: 'admin' })}.${parts()[2]}`],
    [
      'the tenant swapped in the payload',
      () => `${parts()[0]}.${encode({ ...claims, tenant_id: otherTenant })}.${parts()[2]}`,
    ],
    ['the tenant swapped and signed', () => sign({ ...claims, tenant_id: otherTenant })],
    ['a client that is not there', () => sign({ ...claims, client_id: newId(), sub: newId() })],
    ['a secret that is not there', () => sign({ ...claims, secret_id: newId() })],
    ['no tenant', () => sign({ ...claims, tenant_id: undefined })],
    ['an unknown user type', () => sign({ ...claims, user_type: 'Admin' })],
    ['a patient without an actor', () => sign({ ...claims, user_type: 'Patient', sub: newId() })],
    [
      'a patient that is not there',
      () => sign({ ...claims, user_type: 'Patient', sub: newId(), act: { sub: claims.client_id } }),
    ],
    ['issued in the future', () => sign({ ...claims, iat: seconds(120), exp: seconds(600) })],
    ['not valid yet', () => sign({ ...claims, nbf: seconds(120) })],
    ['a life longer than 60 minutes', () => sign({ ...claims, exp: seconds(7200) })],
    ['no end', () => sign({ ...claims, exp: undefined })],
    ['expired a second ago', () => sign({ ...claims, iat: seconds(-3601), exp: seconds(-1) }), 'expired_token'],
    [
      'expired, with a wrong signature',
      async () => (await sign({ ...claims, exp: seconds(-1) })).slice(0, -4).concat('AAAA'),
    ],
    ['another environment, signed', () => sign({ ...claims, env: 'production' }), 'wrong_environment'],
    [
      'another environment, of another issuer and key',
      () =>
        sign(
          { ...claims, env: 'production', iss: 'https://example.test/identity' },
          { kid: 'theirs' },
          generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
        ),
      'wrong_environment',
    ],
  ];
  for (const [what, forge, code = 'invalid_token'] of forgeries)
    test(`${what} is ${code}`, async () => {
      expect(await outcome(`Bearer ${await forge()}`)).toEqual({
        code,
        status: 401,
        challenge: expect.stringMatching(/^Bearer realm="carelane", error="invalid_token", error_description="[^"]+"$/),
      });
    });

  test('returns wrong_environment for a sandbox token in production', async () => {
    services.identity.verified.clear(); // the cache of verified tokens holds results of the sandbox
    expect(await outcome(`Bearer ${token}`, production)).toMatchObject({ code: 'wrong_environment' });
  });

  test('tolerates a small clock skew', async () => {
    const ahead = await sign({ ...claims, iat: seconds(10), exp: seconds(600) });
    expect(await outcome(`Bearer ${ahead}`)).toHaveProperty('actor');
  });

  test('rejects a cached token once its hour is over', async () => {
    await outcome(`Bearer ${token}`);
    const later = { ...services, clock: { now: () => new Date(Date.now() + 3_601_000) } };
    expect(await outcome(`Bearer ${token}`, later)).toMatchObject({ code: 'expired_token' });
  });
});
