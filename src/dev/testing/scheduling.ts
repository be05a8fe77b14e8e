import { createAcuityEmulator } from '#emulators/acuity/index.ts';
import type { Appointment as AtAcuity } from '#emulators/acuity/state.ts';
import type { Context, Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';

export const ACCOUNT = { user_id: '900100', api_key: 'emulated-key' };
export const SECOND_ACCOUNT = { user_id: '900200', api_key: 'second-key' };
const DAY_MS = 24 * 60 * 60 * 1000;

export const FOLLOW_UP = 21;
export const LONG_APPOINTMENT = 22;
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
    { id: FOLLOW_UP, name: 'Follow-up visit', duration: 30 },
    { id: LONG_APPOINTMENT, name: 'Long visit', duration: 60, paddingAfter: 15, calendarIDs: [ROWAN] },
  ],
  forms: [{ id: 31, name: 'Location', hidden: true, fields: [{ id: LOCATION_FIELD, name: 'Location' }] }],
};

export type TestAcuity = Awaited<ReturnType<Awaited<ReturnType<typeof startAcuity>>['connect']>>;

/** Starts Acuity's emulator with the account above, or with the sandbox's. `connect` connects a tenant once the services exist. */
export async function startAcuity({ seeded = false }: { seeded?: boolean | undefined } = {}) {
  const emulator = await createAcuityEmulator({ rateLimit: false, log: () => {} }).start();
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${emulator.url}/_emulator/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  await control('PUT', `accounts/${ACCOUNT.user_id}`, seeded ? { apiKey: ACCOUNT.api_key } : CLINIC);
  const url = `${emulator.url}/api/v1`;
  const api = {
    emulator,
    url,
    account: ACCOUNT,
    /** Calls the emulator's control API. */
    control,
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
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Basic ${btoa(`${ACCOUNT.user_id}:${ACCOUNT.api_key}`)}`,
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
  };
  return {
    settings: { ACUITY_API_URL: url, PROVIDER_TIMEOUT_MS: '8000' },
    async connect(ctx: Context) {
      await connectAcuity(ctx, ACCOUNT);
      return api;
    },
    stop: () => emulator.stop(),
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

/** Inserts an appointment of tomorrow, which no provider knows. @returns its id */
export async function insertAppointment({ db, tenantId }: Context, patientId: string, id = newId()): Promise<string> {
  const startAt = new Date(Date.now() + 86_400_000);
  await db.appointment.create({
    data: {
      ...{ id, tenantId, patientId, appointmentTypeId: 1, appointmentType: 'Follow-up', calendarId: 1 },
      ...{ calendar: 'Rowan Example', startAt, endAt: new Date(startAt.getTime() + 1_800_000) },
      ...{ timeZone: 'America/New_York', videoToken: newId(), status: 'scheduled' },
    },
  });
  return id;
}
