import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { contextFor, systemContext } from '#server/core/context.ts';
import { createStaffUser } from '#server/identity/staff/create-staff-user.ts';
import { signOutStaff } from '#server/identity/staff/end-staff-sessions.ts';
import { type SignedInStaff, signInStaff } from '#server/identity/staff/sign-in-staff.ts';
import { staffActor } from '#server/identity/staff/staff-actor.ts';
import { confirmTwoStep, startTwoStep } from '#server/team/account/two-step.ts';
import { type Clinic, withClinic } from '../clinic.ts';
import { fixedClock } from '../fixed-clock.ts';
import { connectTo } from '../invariants/tenant-walk.ts';
import { testServices } from '../services.ts';

const PASSWORD = 'correct horse battery';
const STEP_MS = 30_000;

let clinic: Clinic;
let services: ReturnType<typeof testServices>;
let tenant: { id: string };
let email: string;
let people = 0;
beforeAll(async () => {
  clinic = await withClinic({ overrides: { clock: fixedClock() } });
  ({ services, tenant } = clinic);
});
afterAll(() => clinic?.stop());
beforeEach(async () => {
  people += 1;
  email = `ada${people}@example.test`;
  const member = { email, name: 'Ada Example', role: 'admin' as const, password: PASSWORD };
  await createStaffUser(systemContext(services, tenant.id, 'test'), member);
});

async function signIn(code?: string): Promise<SignedInStaff> {
  const session = await signInStaff(services, { email, password: PASSWORD, code, source: `192.0.2.${people}` });
  if (session === null || session === 'code_required') throw new Error(`not signed in: ${session}`);
  return session;
}

/** Returns true when another process accepts a session after sign-out. */
async function outlives(): Promise<boolean> {
  const session = await signIn();
  await signOutStaff(services, session);
  const other = testServices(clinic.database);
  const actor = await staffActor(other, session);
  await other.close();
  return actor !== null;
}

/** Returns how many of two sign-ins with the same code succeed. */
async function timesThatCodeWorks(): Promise<number> {
  const ctx = contextFor(services, (await staffActor(services, await signIn()))!);
  const { secret } = await startTwoStep(ctx, { password: PASSWORD });
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const now = services.clock.now().getTime();
  await confirmTwoStep(ctx, { code: totp.generate({ timestamp: now }) });
  const code = totp.generate({ timestamp: now + STEP_MS });
  const outcomes = await Promise.allSettled([signIn(code), signIn(code)]);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

async function plant(table: string, assignment: string): Promise<void> {
  const owner = await connectTo(clinic.database.ownerUrl);
  await owner.query(`create function planted_${table}() returns trigger language plpgsql as $$
    begin ${assignment}; return new; end $$`);
  await owner.query(
    `create trigger planted before update on ${table} for each row execute function planted_${table}()`,
  );
  await owner.end();
}

test('intact: a session ends at sign-out, and a code works once', async () => {
  expect(await outlives()).toBe(false);
  expect(await timesThatCodeWorks()).toBe(1);
});

test('detects a session end that is not stored', async () => {
  await plant('staff_sessions', 'new.ended_at := null');
  expect(await outlives()).toBe(true);
});

test('detects a used code that is not stored', async () => {
  await plant('staff_two_steps', 'new.last_step := 0');
  expect(await timesThatCodeWorks()).toBe(2);
});
