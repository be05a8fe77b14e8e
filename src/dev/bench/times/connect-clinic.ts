import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';

export const TYPE = 21;
/** The number of requested days, from the day after tomorrow on. */
export const DAYS = 7;
const DAY_MS = 86_400_000;

export const dayAhead = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Creates a clinic whose account at the emulator has these calendars and one appointment type. */
export async function connectClinic(
  services: Services,
  emulatorUrl: string,
  userId: number,
  calendars: number[],
): Promise<Context> {
  const account = {
    apiKey: 'emulated-key',
    timezone: 'America/New_York',
    limits: { interval: 60, minHoursInAdvance: 1, maxDaysInAdvance: 60 },
    calendars: calendars.map((id) => ({ id, name: `Calendar ${id}`, email: '' })),
    types: [{ id: TYPE, name: 'Follow-up visit', duration: 30 }],
  };
  const put = await fetch(`${emulatorUrl}/_emulator/accounts/${userId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  if (!put.ok) throw new Error(`the Acuity emulator answered ${put.status} ${await put.text()}`);
  const { id } = await createTenant(services, {
    name: `Clinic of ${calendars.length}`,
    timeZone: 'America/New_York',
  });
  const ctx = systemContext(services, id, 'bench');
  await connectAcuity(ctx, { user_id: String(userId), api_key: 'emulated-key' });
  return ctx;
}

/** Fills the mirror for the week, as fetched from Acuity `ageMs` ago. */
export async function fillMirror({ db, tenantId }: Context, calendars: number[], ageMs = 0): Promise<void> {
  const startsOf = (day: string) =>
    Array.from({ length: 10 }, (_, n) => BigInt(Date.parse(`${day}T14:00Z`) / 60_000 + n * 30));
  const now = new Date();
  const fetchedAt = new Date(now.getTime() - ageMs);
  await db.availabilityDay.createMany({
    data: calendars.flatMap((calendarId) =>
      Array.from({ length: DAYS }, (_, n) => {
        const day = dayAhead(2 + n);
        const times = { startsAt: startsOf(day), fetchedAt, staleAt: new Date(0), askedAt: now };
        return { tenantId, appointmentTypeId: TYPE, calendarId, day, ...times };
      }),
    ),
  });
}
