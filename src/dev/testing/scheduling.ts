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

/** Three calendars open from 9 to 17 each day with slots every half hour; both types have the Location form. */
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

/**
 * Starts a tenant with Acuity connected, on its own database unless one is given; `control` calls the emulator's
 * control API.
 */
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
    /** Adds a fault for the next matching calls. */
    fault: (kind: string, match: { method?: string; path?: string } = {}, times = 1) =>
      control('POST', 'faults', { kind, match, times, holdMs: 2000 }),
    /** The faults that have not applied yet. */
    faults: () => emulator.faults.list(),
    /** Acuity's webhooks, delivered or not. */
    webhooks: () => emulator.world.webhooks.log(),
    /** All appointments at Acuity. */
    booked: (): AtAcuity[] => emulator.world.state.accounts[ACCOUNT.user_id]!.appointments,
    /** The account's appointment types, which a test may change. */
    types: () => emulator.world.state.accounts[ACCOUNT.user_id]!.types,
    calendars: () => emulator.world.state.accounts[ACCOUNT.user_id]!.calendars,
    forms: () => emulator.world.state.accounts[ACCOUNT.user_id]!.forms,
    /** Time off, which only the console can make recurring. */
    blocks: () => emulator.world.state.accounts[ACCOUNT.user_id]!.blocks,
    /** The account's booking window. */
    limits: () => emulator.world.state.accounts[ACCOUNT.user_id]!.limits,
    /** Creates another account with the same calendars and types, and no appointments. */
    secondAccount: () =>
      control('PUT', `accounts/${SECOND_ACCOUNT.user_id}`, { ...CLINIC, apiKey: SECOND_ACCOUNT.api_key }),
    hooks: () => emulator.world.state.accounts[ACCOUNT.user_id]!.dynamicWebhooks,
    emails: () => emulator.world.state.accounts[ACCOUNT.user_id]!.emails,
    /** Calls Acuity as its own console does. */
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

/** `YYYY-MM-DD`, the given number of days from today in UTC. */
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

/** Asserts that a call fails with an API error. @returns its first error */
export async function errorOf(call: Promise<unknown>) {
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
