import { createAcuityEmulator } from '#emulators/acuity/index.ts';
import type { Appointment as AtAcuity } from '#emulators/acuity/state.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { makeTenant } from './actors.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { testServices } from './services.ts';

const ACCOUNT = { user_id: '900100', api_key: 'emulated-key' };
export const SECOND_ACCOUNT = { user_id: '900200', api_key: 'second-key' };
const DAY_MS = 24 * 60 * 60 * 1000;

export const VISIT = 21;
export const LONG_VISIT = 22;
export const ROWAN = 11;
export const ALDER = 12;
export const JUNIPER = 13;
export const LOCATION_FIELD = 41;

/** Three calendars at work 9 to 17 each day, starts each half hour; both types carry the Location form. */
const CLINIC = {
  apiKey: ACCOUNT.api_key,
  timezone: 'America/New_York',
  limits: { interval: 30, minHoursInAdvance: 1, maxDaysInAdvance: 60 },
  calendars: [
    { id: ROWAN, name: 'Rowan Example', email: 'rowan@clinic.example.test' },
    { id: ALDER, name: 'Alder Example', email: 'alder@clinic.example.test', timezone: 'America/Chicago' },
    { id: JUNIPER, name: 'Juniper Example', email: '' },
  ],
  types: [
    { id: VISIT, name: 'Follow-up visit', duration: 30 },
    { id: LONG_VISIT, name: 'Long visit', duration: 60, paddingAfter: 15, calendarIDs: [ROWAN] },
  ],
  forms: [{ id: 31, name: 'Location', hidden: true, fields: [{ id: LOCATION_FIELD, name: 'Location' }] }],
};

export type Scheduling = Awaited<ReturnType<typeof startScheduling>>;

/** A tenant with Acuity connected, on a database of its own unless one is given; `control` is the emulator's own door. */
export async function startScheduling(env: Record<string, string> = {}, given: TestDatabase | null = null) {
  const database = given ?? (await createTestDatabase());
  const emulator = await createAcuityEmulator({ rateLimit: false, log: () => {} }).start();
  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${emulator.url}/_emulator/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  await control('PUT', `accounts/${ACCOUNT.user_id}`, CLINIC);
  const settings = {
    ACUITY_API_URL: `${emulator.url}/api/v1`,
    ACUITY_REQUESTS_PER_SECOND: '1000',
    PROVIDER_TIMEOUT_MS: '8000',
    ...env,
  };
  const services = testServices(database, settings);
  const tenant = await makeTenant(services);
  const ctx = systemContext(services, tenant.id, 'test');
  await connectAcuity(ctx, ACCOUNT);
  return {
    services,
    tenant,
    ctx,
    control,
    account: ACCOUNT,
    database,
    settings,
    /** Strikes the next calls of that kind. */
    fault: (kind: string, match: { method?: string; path?: string } = {}, times = 1) =>
      control('POST', 'faults', { kind, match, times, holdMs: 2000 }),
    /** Those that have not struck yet. */
    faults: () => emulator.faults.list(),
    /** Acuity's webhooks, whatever became of them. */
    webhooks: () => emulator.world.webhooks.log(),
    /** Everything on the books at Acuity. */
    booked: (): AtAcuity[] => emulator.world.state.accounts[ACCOUNT.user_id]!.appointments,
    /** What the account offers, to take something away. */
    types: () => emulator.world.state.accounts[ACCOUNT.user_id]!.types,
    calendars: () => emulator.world.state.accounts[ACCOUNT.user_id]!.calendars,
    forms: () => emulator.world.state.accounts[ACCOUNT.user_id]!.forms,
    /** Time off, which only the console makes repeat. */
    blocks: () => emulator.world.state.accounts[ACCOUNT.user_id]!.blocks,
    /** From when to when it takes bookings. */
    limits: () => emulator.world.state.accounts[ACCOUNT.user_id]!.limits,
    /** Another account with the same calendars and types, and no bookings. */
    secondAccount: () =>
      control('PUT', `accounts/${SECOND_ACCOUNT.user_id}`, { ...CLINIC, apiKey: SECOND_ACCOUNT.api_key }),
    hooks: () => emulator.world.state.accounts[ACCOUNT.user_id]!.dynamicWebhooks,
    emails: () => emulator.world.state.accounts[ACCOUNT.user_id]!.emails,
    /** Calls Acuity as its own console would. */
    console: async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${emulator.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Basic ${btoa(`${ACCOUNT.user_id}:${ACCOUNT.api_key}`)}`,
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    async stop() {
      await emulator.stop();
      await services.close();
      await database.drop();
    },
  };
}

/** `YYYY-MM-DD`, so many days from today in UTC. */
export const dayAhead = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

export async function makePatient(
  { services, tenant }: { services: Services; tenant: { id: string } },
  values: { email?: string | null; firstName?: string; status?: string } = {},
): Promise<{ id: string }> {
  const id = newId();
  const { email = `${id}@example.test`, firstName = 'Ada', status = 'active' } = values;
  await services.database
    .forTenant(tenant.id)
    .patient.create({ data: { id, tenantId: tenant.id, email, firstName, lastName: 'Example', status } });
  return { id };
}

/** Whether a call was refused with this code; the refusal itself for more questions. */
export async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    (value) => {
      throw new Error(`not refused: ${JSON.stringify(value)}`);
    },
    (thrown: unknown) => thrown as { faults?: { code: string; detail: string; source?: object; meta?: object }[] },
  );
  if (!error.faults) throw error;
  return error.faults[0]!;
}

export const claimsOf = ({ db, tenantId }: Context, appointmentId: string) =>
  db.slotClaim.findMany({ where: { tenantId, appointmentId } });
