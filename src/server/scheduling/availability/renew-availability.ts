import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import type { Day } from '#server/core/zone.ts';
import { fillDays, RENEWED_TENANTS } from '#server/mirror/index.ts';
import { type Calendar, getCatalogue } from '../catalogue/catalogue.ts';

/** Renewal stops for days not requested within this many times `renewMs`. */
const RENEWED_FOR = 12;
/** Fraction of `renewMs` after which a day is renewed, so that it is fetched before it expires. */
const DUE_FROM = 1 / 2;
/** Parallel calls for one tenant; kept low because they finish soon and other units are due by then. */
const CALLS_AT_ONCE = 4;
/** Tenants checked concurrently; a process has few connections. */
const TENANTS_AT_ONCE = 4;
/** Maximum number of days of one tenant per check. */
const MAX_DAYS = 400;
const ERROR_PAUSE_MS = 30 * SECOND;
/**
 * Errors that affect all calendars of a tenant: the provider is unreachable, accepts no more calls, or rejects the
 * credentials. A call that hangs holds a connection that other tenants need, so it counts too.
 */
const TENANT_ERRORS = new Set([
  'provider_unavailable',
  'provider_timeout',
  'integration_misconfigured',
  'integration_not_connected',
]);
/** Lease duration in renewal intervals: a running process, however busy, extends it in time. */
const LEASE_INTERVALS = 5;

type Due = { typeId: number; calendarId: number; day: Day };
/** One calendar's days of a type, fetched together. */
type Unit = { typeId: number; calendarId: number; days: Day[] };
/** `failed`: until when a calendar's days of a type are skipped after an error, by `keyOf`. */
type TenantState = { units: Unit[]; running: number; nextCheckAt: number; failed: Map<string, number> };
const keyOf = ({ typeId, calendarId }: Pick<Unit, 'typeId' | 'calendarId'>): string => `${typeId}/${calendarId}`;

/** Returns the interval between checks in ms, a fraction of the maximum age. */
export const renewalIntervalMs = ({ config }: Pick<Services, 'config'>): number =>
  Math.min(10 * SECOND, Math.max(SECOND / 4, config.scheduling.renewMs / 30));

type AvailabilityRenewal = {
  /** Finds due days and renews them in the background. False while another process holds the lease. */
  renewDue(): Promise<boolean>;
  /** Starts nothing more and waits for the running calls. */
  stop(): Promise<void>;
};

/**
 * Renews recently requested availability before it expires, and invalidated days at once. One process at a time holds
 * the lease; after a crash another takes over within seconds. Tenants take turns; within a tenant the days requested
 * last come first.
 *
 * Capacity: ten calls a second, less the fifth for bookings, are 2,400 in five minutes. A week of a calendar and type
 * whose days are due together takes up to nine: one for each day with free slots, and one for each month. Readers,
 * catalogues and comparisons share them. Beyond that, days get older than `config.scheduling.renewMs`, and readers wait
 * for them.
 */
export function createAvailabilityRenewal(services: Services): AvailabilityRenewal {
  const tenantStates = new Map<string, TenantState>();
  const running = new Set<Promise<void>>();
  let lease: string | null = null;
  let stopped = false;

  /** Acquires or extends the lease. The holder is the process whose last written value is still stored. */
  async function holdLease(): Promise<boolean> {
    const ms = renewalIntervalMs(services) * LEASE_INTERVALS;
    const [row] = await services.database.system.$queryRaw<{ until: string }[]>`
      insert into call_turns as t (kind, next_at) values ('renew', clock_timestamp() + ${ms}::float8 * interval '1 ms')
      on conflict (kind) do update set next_at = excluded.next_at
        where t.next_at <= clock_timestamp() or t.next_at::text = ${lease}
      returning next_at::text as until`;
    lease = row?.until ?? null;
    return lease !== null;
  }

  async function checkTenant(tenantId: string, state: TenantState): Promise<void> {
    const ctx = systemContext(services, tenantId, 'renew_times');
    const now = services.clock.now().getTime();
    for (const [key, until] of state.failed) if (until <= now) state.failed.delete(key);
    try {
      state.units = toUnits(await readDue(ctx, [...state.failed.keys()]));
      if (state.units.length === 0) await unregisterIfUnused(ctx);
    } catch (error) {
      pauseFor(state, error);
    }
    start(ctx, state);
  }

  function start(ctx: Context, state: TenantState): void {
    while (!stopped && state.running < CALLS_AT_ONCE) {
      const unit = state.units.shift();
      if (!unit) return;
      state.running += 1;
      const done = renew(ctx, state, unit)
        .catch((error: unknown) => {
          state.units = [];
          pauseFor(state, error);
        })
        .finally(() => {
          state.running -= 1;
          running.delete(done);
          start(ctx, state);
        });
      running.add(done);
    }
  }

  async function renew(ctx: Context, state: TenantState, unit: Unit): Promise<void> {
    const { calendars } = await getCatalogue(ctx, Math.max(MINUTE, ctx.config.scheduling.renewMs));
    try {
      await renewUnit(ctx, calendars, unit);
    } catch (error) {
      if (!(error instanceof CarelaneError) || TENANT_ERRORS.has(error.code)) throw error;
      state.failed.set(keyOf(unit), pauseUntil(error));
    }
  }

  function pauseFor(state: TenantState, error: unknown): void {
    state.nextCheckAt = pauseUntil(error);
  }

  /** Logs the error and returns until when to pause. */
  function pauseUntil(error: unknown): number {
    const level = error instanceof CarelaneError ? 'debug' : 'warn';
    services.log[level]({ err: (error as Error).message }, 'free times are renewed when it is possible again');
    return services.clock.now().getTime() + ERROR_PAUSE_MS;
  }

  return {
    async renewDue() {
      if (!(await holdLease())) {
        tenantStates.clear();
        return false;
      }
      const now = services.clock.now().getTime();
      const tenants = await services.database.tenantsOf(RENEWED_TENANTS);
      for (const id of tenantStates.keys()) if (!tenants.includes(id)) tenantStates.delete(id);
      const due: [string, TenantState][] = [];
      for (const tenantId of tenants) {
        const state = tenantStates.get(tenantId) ?? { units: [], running: 0, nextCheckAt: 0, failed: new Map() };
        tenantStates.set(tenantId, state);
        // Units found earlier run first; the next check follows when they are done.
        if (stopped || state.nextCheckAt > now || state.running + state.units.length > 0) continue;
        state.nextCheckAt = now + renewalIntervalMs(services);
        due.push([tenantId, state]);
      }
      for (let n = 0; n < due.length; n += TENANTS_AT_ONCE)
        await Promise.all(due.slice(n, n + TENANTS_AT_ONCE).map(([tenantId, state]) => checkTenant(tenantId, state)));
      return true;
    },
    async stop() {
      stopped = true;
      for (const state of tenantStates.values()) state.units = [];
      await Promise.allSettled(running);
    },
  };
}

/** Reads recently requested days that are invalidated or past half of their age, the last requested first. */
async function readDue(ctx: Context, except: string[]): Promise<Due[]> {
  const { renewMs } = ctx.config.scheduling;
  const now = ctx.clock.now().getTime();
  return ctx.db.$queryRaw<Due[]>`
    select appointment_type_id as "typeId", calendar_id as "calendarId", day from availability_days
    where tenant_id = ${ctx.tenantId}::uuid and asked_at > ${new Date(now - RENEWED_FOR * renewMs)}::timestamptz
      and (fetched_at <= stale_at or fetched_at < ${new Date(now - DUE_FROM * renewMs)}::timestamptz)
      and not (appointment_type_id || '/' || calendar_id = any(${except}::text[]))
    order by date_bin(${`${renewMs} milliseconds`}::interval, asked_at, 'epoch') desc, fetched_at
    limit ${MAX_DAYS}`;
}

/** Groups days into units, in the order of the first day of each. */
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
  if (calendar?.typeIds.includes(typeId)) return fillDays(ctx, typeId, [{ calendar, days }], 'background');
  await ctx.db.availabilityDay.deleteMany({
    where: { tenantId: ctx.tenantId, appointmentTypeId: typeId, calendarId },
  });
}

/** Removes the tenant from renewal when no days are due because none was requested recently. */
async function unregisterIfUnused(ctx: Context): Promise<void> {
  const since = new Date(ctx.clock.now().getTime() - RENEWED_FOR * ctx.config.scheduling.renewMs);
  const requested = await ctx.db.availabilityDay.findFirst({
    where: { tenantId: ctx.tenantId, askedAt: { gt: since } },
    select: { day: true },
  });
  if (!requested) await ctx.db.tenantRoute.deleteMany({ where: { tenantId: ctx.tenantId, key: RENEWED_TENANTS } });
}
