import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import type { Day } from '#server/core/zone.ts';
import { fillDays } from '#server/mirror/fill-days.ts';
import { RENEWED } from '#server/mirror/known-days.ts';
import { type Calendar, getCatalogue } from '../catalogue/catalogue.ts';

/** What nobody has asked for in so many times the age that is given out is renewed no more. */
const KEPT_FOR = 12;
/** A day is asked for again from this part of that age on, so that it is answered before the age is reached. */
const DUE_FROM = 1 / 2;
/** Calendars of one clinic that are asked for at the same time: what is begun is soon done, and by then others are due. */
const AT_ONCE = 4;
/** Clinics looked at together; a process has few connections. */
const LOOKS_AT_ONCE = 4;
/** Days of one clinic looked at in one turn. */
const MOST_DAYS = 400;
const TROUBLE_MS = 30 * SECOND;
/**
 * What befalls all calendars of a clinic: the provider cannot be reached, takes no more calls, or does not let us in. A
 * call that hangs keeps a connection from other clinics, so it counts as that too.
 */
const OF_ALL = new Set([
  'provider_unavailable',
  'provider_timeout',
  'integration_misconfigured',
  'integration_not_connected',
]);
/** However busy another process is, it has looked by then or is gone. */
const LEASE_LOOKS = 5;

type Due = { typeId: number; calendarId: number; day: Day };
/** One calendar's days of a type, asked for in one go. */
type Unit = { typeId: number; calendarId: number; days: Day[] };
/** `failed`: by `keyOf`, until when a calendar's days of a type are left alone, because they could not be renewed. */
type Clinic = { units: Unit[]; running: number; lookAt: number; failed: Map<string, number> };
const keyOf = ({ typeId, calendarId }: Pick<Unit, 'typeId' | 'calendarId'>): string => `${typeId}/${calendarId}`;

/** How often a clinic's days are looked at: often enough to notice within a fraction of the age. */
export const lookMs = ({ config }: Pick<Services, 'config'>): number =>
  Math.min(10 * SECOND, Math.max(SECOND / 4, config.scheduling.renewMs / 30));

export type Renewing = {
  /** Looks at what is due, and asks for it behind. False while another process does. */
  look(): Promise<boolean>;
  /** Begins nothing more, and waits for what was begun. */
  stop(): Promise<void>;
};

/**
 * Keeps the free times warm that somebody has asked for lately: one process at a time asks the provider for them anew
 * before they are too old, and at once for what has changed. Clinics take turns, and within one those days come first
 * that were asked for last. A process that dies leaves it to the next within seconds.
 *
 * Capacity: ten calls a second, less the fifth for bookings, are 2,400 in five minutes. A week of a calendar and type
 * whose days are due together takes up to nine: one for each day with free times, and one for each month. Readers,
 * catalogues and comparisons share them. Beyond that, days get older than `config.scheduling.renewMs`, and readers wait
 * for them.
 */
export function createRenewing(services: Services): Renewing {
  const clinics = new Map<string, Clinic>();
  const running = new Set<Promise<void>>();
  let lease: string | null = null;
  let stopped = false;

  /** Held by comparing what was written last: who has written since holds it. */
  async function hold(): Promise<boolean> {
    const ms = lookMs(services) * LEASE_LOOKS;
    const [row] = await services.database.system.$queryRaw<{ until: string }[]>`
      insert into call_turns as t (kind, next_at) values ('renew', clock_timestamp() + ${ms}::float8 * interval '1 ms')
      on conflict (kind) do update set next_at = excluded.next_at
        where t.next_at <= clock_timestamp() or t.next_at::text = ${lease}
      returning next_at::text as until`;
    lease = row?.until ?? null;
    return lease !== null;
  }

  async function lookAt(tenantId: string, clinic: Clinic): Promise<void> {
    const ctx = systemContext(services, tenantId, 'renew_times');
    const now = services.clock.now().getTime();
    for (const [key, until] of clinic.failed) if (until <= now) clinic.failed.delete(key);
    try {
      clinic.units = toUnits(await readDue(ctx, [...clinic.failed.keys()]));
      if (clinic.units.length === 0) await forgetUnasked(ctx);
    } catch (error) {
      pauseFor(clinic, error);
    }
    start(ctx, clinic);
  }

  function start(ctx: Context, clinic: Clinic): void {
    while (!stopped && clinic.running < AT_ONCE && clinic.units.length > 0) {
      const unit = clinic.units.shift()!;
      clinic.running += 1;
      const done = renew(ctx, clinic, unit)
        .catch((error: unknown) => {
          clinic.units = [];
          pauseFor(clinic, error);
        })
        .finally(() => {
          clinic.running -= 1;
          running.delete(done);
          start(ctx, clinic);
        });
      running.add(done);
    }
  }

  async function renew(ctx: Context, clinic: Clinic, unit: Unit): Promise<void> {
    const { calendars } = await getCatalogue(ctx, Math.max(MINUTE, ctx.config.scheduling.renewMs));
    try {
      await renewUnit(ctx, calendars, unit);
    } catch (error) {
      if (!(error instanceof CarelaneError) || OF_ALL.has(error.code)) throw error;
      clinic.failed.set(keyOf(unit), troubleUntil(error));
    }
  }

  function pauseFor(clinic: Clinic, error: unknown): void {
    clinic.lookAt = troubleUntil(error);
  }

  /** Logs it. */
  function troubleUntil(error: unknown): number {
    const level = error instanceof CarelaneError ? 'debug' : 'warn';
    services.log[level]({ err: (error as Error).message }, 'free times are renewed when it is possible again');
    return services.clock.now().getTime() + TROUBLE_MS;
  }

  return {
    async look() {
      if (!(await hold())) {
        clinics.clear();
        return false;
      }
      const now = services.clock.now().getTime();
      const tenants = await services.database.tenantsOf(RENEWED);
      for (const known of clinics.keys()) if (!tenants.includes(known)) clinics.delete(known);
      const due: [string, Clinic][] = [];
      for (const tenantId of tenants) {
        const clinic = clinics.get(tenantId) ?? { units: [], running: 0, lookAt: 0, failed: new Map() };
        clinics.set(tenantId, clinic);
        // What was found is begun first: it is looked for again once it is done.
        if (stopped || clinic.lookAt > now || clinic.running + clinic.units.length > 0) continue;
        clinic.lookAt = now + lookMs(services);
        due.push([tenantId, clinic]);
      }
      for (let n = 0; n < due.length; n += LOOKS_AT_ONCE)
        await Promise.all(due.slice(n, n + LOOKS_AT_ONCE).map(([tenantId, clinic]) => lookAt(tenantId, clinic)));
      return true;
    },
    async stop() {
      stopped = true;
      for (const clinic of clinics.values()) clinic.units = [];
      await Promise.allSettled(running);
    },
  };
}

/** Days that were asked for lately and are spoilt or half as old as may be, those first that were asked for last. */
async function readDue(ctx: Context, except: string[]): Promise<Due[]> {
  const { renewMs } = ctx.config.scheduling;
  const now = ctx.clock.now().getTime();
  return ctx.db.$queryRaw<Due[]>`
    select appointment_type_id as "typeId", calendar_id as "calendarId", day from availability_days
    where tenant_id = ${ctx.tenantId}::uuid and asked_at > ${new Date(now - KEPT_FOR * renewMs)}::timestamptz
      and (fetched_at <= stale_at or fetched_at < ${new Date(now - DUE_FROM * renewMs)}::timestamptz)
      and not (appointment_type_id || '/' || calendar_id = any(${except}::text[]))
    order by date_bin(${`${renewMs} milliseconds`}::interval, asked_at, 'epoch') desc, fetched_at
    limit ${MOST_DAYS}`;
}

/** In the order of the first day of each. */
function toUnits(due: Due[]): Unit[] {
  const units = new Map<string, Unit>();
  for (const { typeId, calendarId, day } of due) {
    const key = keyOf({ typeId, calendarId });
    const unit = units.get(key) ?? { typeId, calendarId, days: [] };
    unit.days.push(day);
    units.set(key, unit);
  }
  return [...units.values()];
}

async function renewUnit(ctx: Context, calendars: Calendar[], { typeId, calendarId, days }: Unit): Promise<void> {
  const calendar = calendars.find(({ id }) => id === calendarId);
  if (calendar?.typeIds.includes(typeId)) return fillDays(ctx, typeId, [{ calendar, days }], 'behind');
  await ctx.db.availabilityDay.deleteMany({
    where: { tenantId: ctx.tenantId, appointmentTypeId: typeId, calendarId },
  });
}

/** Nothing is due: if that is because nobody asks any more, the clinic is looked at no more. */
async function forgetUnasked(ctx: Context): Promise<void> {
  const since = new Date(ctx.clock.now().getTime() - KEPT_FOR * ctx.config.scheduling.renewMs);
  const asked = await ctx.db.availabilityDay.findFirst({
    where: { tenantId: ctx.tenantId, askedAt: { gt: since } },
    select: { day: true },
  });
  if (!asked) await ctx.db.tenantRoute.deleteMany({ where: { tenantId: ctx.tenantId, key: RENEWED } });
}
