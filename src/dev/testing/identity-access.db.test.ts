import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#server/core/ids.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { IDENTITY_ENDPOINTS, type IdentityEndpoint } from '#server/identity/patients/endpoints.ts';
import { withClinic } from './clinic.ts';
import { ATTEMPT as attempt, register } from './password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from './patient-sign-in.ts';
import { signInPatient } from './signed-in.ts';

const srp = register('a long enough one');
const A = srp.verifier;
const M1 = 'ab'.repeat(32);
const nameOf = ({ method, path }: Pick<IdentityEndpoint, 'method' | 'path'>) => `${method} ${path}`;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let elsewhere: typeof clinic;
let tokens: Record<Principal, string | null>;
/** The known-device secrets of the devices that the patients signed in on. */
let devices: Partial<Record<Principal, string | undefined>>;

let line = 0;
/** Returns a new number each time, so that no send limit rejects the request. */
const phone_number = () => `+1202555${String(1000 + ++line)}`;
const passwordless = () => ({ client_id: clinic.passwordless });
const credentials = () => ({ client_id: clinic.credentials, email: `${newId()}@example.test` });
/** A valid body for each endpoint, for a person who does not exist. A missing endpoint fails the first test. */
const SAMPLES: Record<string, () => object | undefined> = {
  'POST /passwordless/sign_up': () => ({ ...passwordless(), phone_number: phone_number(), attempt }),
  'POST /passwordless/sign_in': () => ({ ...passwordless(), phone_number: phone_number() }),
  'POST /passwordless/complete': () => ({ challenge: 'a.b', attempt, code: '123456' }),
  'POST /credentials/sign_up': () => ({ ...credentials(), attempt, srp }),
  'POST /credentials/confirm': () => ({ ...credentials(), attempt, code: '123456' }),
  'POST /credentials/resend': () => ({ ...credentials(), attempt }),
  'POST /credentials/srp/start': () => ({ ...credentials(), A }),
  'POST /credentials/srp/finish': () => ({ handshake: 'a.b', M1 }),
  'POST /credentials/complete_invitation': () => ({ continuation: 'a.b', srp }),
  'POST /credentials/reset': () => ({ ...credentials(), attempt }),
  'POST /credentials/reset/complete': () => ({ ...credentials(), attempt, code: '123456', srp }),
  'POST /user/proof/code': () => ({}),
  'POST /user/proof': () => ({ code: '123456' }),
  'PATCH /user/email': () => ({ email: `${newId()}@example.test` }),
  'POST /user/email/verify': () => ({ code: '123456' }),
  'PATCH /user/phone': () => ({ phone_number: phone_number() }),
  'POST /user/phone/verify': () => ({ code: '123456' }),
  'PUT /user/password': () => ({ handshake: 'a.b', M1, srp }),
  'GET /user': () => undefined,
  'GET /userinfo': () => undefined,
  'POST /user/sign_out': () => ({}),
};
/** The statuses of a request that passed authorisation. */
const LET_IN = [200, 202, 204, 409, 422];

const PRINCIPALS = [
  'unauthenticated',
  'garbage',
  'an application',
  'an impersonator',
  'an impersonator of one who does not sign in',
  'a patient who signed out',
  'an archived patient',
  'a patient',
  'a patient elsewhere',
] as const;
type Principal = (typeof PRINCIPALS)[number];
const OPEN = /^POST \/(passwordless|credentials)\//;
const READS = /^GET /;
/** A token alone may not do these, nor may an application that impersonates a patient who signs in. */
const CHANGES = /^(PATCH|POST) \/user\/(email|phone)/;
const OF_SESSIONS = /^PUT \/user\/password|^POST \/user\/proof/;

function expected(name: string, principal: Principal): 'let in' | 'no valid token' | 'forbidden' {
  if (OPEN.test(name)) return 'let in';
  if (principal === 'a patient' || principal === 'a patient elsewhere') return 'let in';
  if (principal === 'an impersonator of one who does not sign in')
    return OF_SESSIONS.test(name) ? 'forbidden' : 'let in';
  if (principal === 'an impersonator' && READS.test(name)) return 'let in';
  if (principal === 'an impersonator' || principal === 'an application') return 'forbidden';
  return 'no valid token';
}
function seen({ status, body }: TestResponse): string {
  if (status === 401) return 'no valid token';
  if (status === 403) return 'forbidden';
  return LET_IN.includes(status) ? 'let in' : `${status} ${JSON.stringify(body)}`;
}

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  elsewhere = await bench.tenant();
  const patient = async ({ ctx }: typeof clinic) => {
    const id = newId();
    await ctx.db.patient.create({ data: { id, tenantId: ctx.tenantId, canSignIn: true } });
    await ctx.db.patientSignIn.create({ data: { tenantId: ctx.tenantId, patientId: id, confirmedAt: new Date() } });
    const { access_token: token, device } = await signInPatient(ctx, id);
    return { id, token, device };
  };
  const silent = newId();
  await clinic.ctx.db.patient.create({ data: { id: silent, tenantId: clinic.ctx.tenantId } });
  const own = await patient(clinic);
  const archived = await patient(clinic);
  await clinic.ctx.db.patient.update({
    where: { id: archived.id },
    data: { status: 'archived', archivedAt: new Date() },
  });
  const out = (await signInPatient(clinic.ctx, own.id)).access_token;
  await bench.post('/user/sign_out', {}, { token: out });
  const created = await createApplication(clinic.ctx, { name: 'Helper', scopes: ['admin'] });
  const buy = async (form: Record<string, string>) => {
    const client = { client_id: created.application.client_id, client_secret: created.client_secret };
    const response = await bench.call('POST', '/identity/oauth2/token', undefined, { form: { ...client, ...form } });
    return response.body.access_token as string;
  };
  const application = await buy({ grant_type: 'client_credentials' });
  const impersonate = (subject_token: string) =>
    buy({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token,
      subject_token_type: 'urn:carelane:params:oauth:token-type:patient-id',
    });
  const there = await patient(elsewhere);
  devices = { 'a patient': own.device, 'a patient elsewhere': there.device };
  tokens = {
    unauthenticated: null,
    garbage: `${own.token.slice(0, -4)}AAAA`,
    'an application': application,
    'an impersonator': await impersonate(own.id),
    'an impersonator of one who does not sign in': await impersonate(silent),
    'a patient who signed out': out,
    'an archived patient': archived.token,
    'a patient': own.token,
    'a patient elsewhere': there.token,
  };
});
afterAll(() => bench?.stop());

test('every identity endpoint has a sample request', () => {
  expect(Object.keys(SAMPLES).sort()).toEqual(IDENTITY_ENDPOINTS.map(nameOf).sort());
});

describe.each(Object.keys(SAMPLES).filter((name) => CHANGES.test(name)))('%s', (name) => {
  test.each(['a patient', 'a patient elsewhere'] as const)('rejects %s with a token alone', async (principal) => {
    const [method, path] = name.split(' ') as [string, string];
    const other = devices[principal === 'a patient' ? 'a patient elsewhere' : 'a patient'];
    const before = await rows();
    for (const shown of [{}, { device: other }, { proof: 'a.b' }]) {
      const body = { ...SAMPLES[name]!(), ...shown };
      const response = await bench.call(method, `/identity${path}`, body, { token: tokens[principal]! });
      expect([response.status, response.body.errors[0].code]).toEqual([403, 'proof_required']);
    }
    expect(await rows()).toEqual(before);
  });
});

// Sign-out is last, because it ends the tokens' sessions.
describe.each(Object.keys(SAMPLES))('%s', (name) => {
  test.each(PRINCIPALS)('authorises %s', async (principal) => {
    const [method, path] = name.split(' ') as [string, string];
    const token = tokens[principal];
    const before = await rows();
    const device = CHANGES.test(name) && devices[principal] ? { device: devices[principal] } : {};
    const body = SAMPLES[name]!();
    const input = body && { ...body, ...device };
    const response = await bench.call(method, `/identity${path}`, input, { ...(token && { token }) });
    expect(seen(response)).toBe(expected(name, principal));
    if (seen(response) === 'let in') return;
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await rows()).toEqual(before);
  });
});

async function rows() {
  const { db } = clinic.ctx;
  // A failed attempt of an earlier call is logged after its response.
  const where = { action: { not: 'sign_ins.try' } };
  return Promise.all([db.patient.count(), db.oneTimeCode.count(), db.codeSend.count(), db.auditEntry.count({ where })]);
}
