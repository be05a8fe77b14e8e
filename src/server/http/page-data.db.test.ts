import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { signInToPortal } from '#dev/testing/staff-sign-in.ts';
import { type Context, type Services, systemContext } from '../core/context.ts';
import { createApplication } from '../identity/applications/router.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';
import { createTenant } from '../identity/staff/create-tenant.ts';
import { createCaller } from '../router.ts';
import { readSandboxExamples } from './page-data.ts';
import { provideServices } from './services.ts';

const ADA = {
  email: 'ada@example.test',
  name: 'Ada Example',
  role: 'admin' as const,
  password: 'correct horse battery',
};

let clinic: Clinic;
let services: Services;
let admin: Context;
let signedIn: Headers;
let clientId: string;

beforeAll(async () => {
  clinic = await withClinic();
  ({ services } = clinic);
  provideServices(services);
  const tenant = await createTenant(services, { name: 'Example Clinic', timeZone: 'America/New_York' });
  await createStaffUser(systemContext(services, tenant.id, 'test'), ADA);
  admin = asAdmin(services, tenant);
  await createCaller(admin).patients.create({ first_name: 'Grace', last_name: 'Example' });
  const { application } = await createApplication(admin, { name: 'Example Server', scopes: ['patients:read'] });
  clientId = application.client_id;
  const session = await signInToPortal(services, ADA);
  if ('error' in session) throw new Error(`refused: ${session.error}`);
  signedIn = new Headers({ cookie: session.cookie });
});
afterAll(() => clinic?.stop());

test('the docs show a signed-in sandbox user their own application, and nothing without a session', async () => {
  expect((await readSandboxExamples(signedIn))?.places.client_id).toBe(clientId);
  expect(await readSandboxExamples(new Headers())).toBeNull();
  expect(await readSandboxExamples(new Headers({ cookie: 'next-auth.session-token=forged' }))).toBeNull();
});

test('a docs page reads no patient data and adds no audit entry', async () => {
  const entries = () => admin.db.auditEntry.count();
  const before = await entries();
  const own = await readSandboxExamples(signedIn);
  expect(own?.things).not.toHaveProperty('patientId');
  expect(await entries()).toBe(before);
});

test('production reveals nothing', async () => {
  provideServices({ ...services, config: { ...services.config, environment: 'production' } });
  try {
    expect(await readSandboxExamples(signedIn)).toBeNull();
  } finally {
    provideServices(services);
  }
});
