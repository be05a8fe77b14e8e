import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { asFetch } from '#dev/testing/http-server.ts';
import { signInToPortal } from '#dev/testing/staff-sign-in.ts';
import { type Services, systemContext } from '../core/context.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';
import { appRouter } from '../router.ts';
import { createPortalHandler } from './trpc-handler.ts';

/** The setup of two-step sign-in, and the sign-out. */
const OPEN = [
  'account.confirmTwoStep',
  'account.get',
  'account.signOutEverywhere',
  'account.startTwoStep',
  'session.me',
];
const PROCEDURES = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { type: 'query' | 'mutation' } }>,
);

let clinic: Clinic;
let services: Services;
let cookie: string;

beforeAll(async () => {
  clinic = await withClinic();
  const { tenant } = clinic;
  services = { ...clinic.services, config: { ...clinic.services.config, environment: 'production' } };
  const admin = {
    email: 'ada@example.test',
    name: 'Ada Example',
    role: 'admin' as const,
    password: 'correct horse battery',
  };
  await createStaffUser(systemContext(services, tenant.id, 'test'), admin);
  const session = await signInToPortal(services, admin);
  if ('error' in session) throw new Error(`refused: ${session.error}`);
  cookie = session.cookie;
});
afterAll(() => clinic?.stop());

/** Sends an empty input: a validation error means that access was granted. */
async function call(name: string, type: 'query' | 'mutation'): Promise<string> {
  const url = `${services.config.publicUrl}/api/trpc/${name}`;
  const headers = { cookie, 'x-carelane-portal': '1', 'content-type': 'application/json' };
  const request =
    type === 'query'
      ? new Request(`${url}?input=%7B%7D`, { headers })
      : new Request(url, { method: 'POST', headers, body: '{}' });
  const response = await (await asFetch(createPortalHandler(services))(request)).json();
  return response.error ? response.error.data.errors[0].code : 'done';
}

test('the list of procedures is complete', () => {
  expect(PROCEDURES.length).toBeGreaterThan(40);
  expect(PROCEDURES.map(([name]) => name)).toEqual(expect.arrayContaining(OPEN));
});

test.each(PROCEDURES.filter(([name]) => !OPEN.includes(name)).map(([name, { _def }]) => [name, _def.type] as const))(
  'an administrator in production without two-step sign-in is rejected by %s',
  async (name, type) => {
    expect(await call(name, type)).toBe('forbidden');
  },
);

test('an administrator without two-step sign-in may set it up', async () => {
  expect(await call('session.me', 'query')).toBe('done');
  expect(await call('account.get', 'query')).toBe('done');
  for (const name of ['account.startTwoStep', 'account.confirmTwoStep'])
    expect(await call(name, 'mutation')).toMatch(/_parameter$/);
  expect(await call('account.signOutEverywhere', 'mutation')).toBe('done');
  expect(await call('session.me', 'query')).toBe('missing_token');
});
