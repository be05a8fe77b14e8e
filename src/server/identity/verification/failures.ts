import { recordFailedAttempt } from '#server/core/record-access.ts';
import { SECOND } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { keyedHash } from '../../core/crypto.ts';
import { Prisma, type Tx } from '../../core/db.ts';
import { apiError, type ErrorCode, formatWait, rateLimited } from '../../core/errors.ts';
import { sourceOf } from '../../core/ip-address.ts';
import { FAILURE_POLICY } from '../../core/rate-limits.ts';

const { waitFrom, longestWait, retention, maxInRow, rowRetention, notifyEvery, approvedFor } = FAILURE_POLICY;

/**
 * Counter keys of a person's attempts. Wrong ones count by source, so that an attacker does not throttle the owner's
 * own device, or by known device; and in a row by that device, or over all unknown devices together.
 */
export function failureKeys(ctx: Context, person: string, { ip, device }: { ip: string; device: string | null }) {
  const keyOf = (...parts: string[]) =>
    keyedHash(ctx, 'identity/tries', ctx.tenantId, person, ...parts).toString('base64url');
  return {
    source: keyOf('source', sourceOf(ip)),
    unknownDevicesInRow: keyOf('strangers in a row'),
    device: keyOf('device', device ?? ''),
    deviceInRow: keyOf('device in a row', device ?? ''),
  };
}
export type FailureKeys = ReturnType<typeof failureKeys>;
/** The counters of one attempt; `row` is null where the owner has just approved the source. */
export type AttemptCounters = { wait: string; row: string | null };

/**
 * Rejects a throttled attempt.
 * @throws `rate_limited` with Retry-After
 */
export function assertNotThrottled(ctx: Context, blockedUntil: Date | null | undefined): void {
  const seconds = Math.ceil(((blockedUntil?.getTime() ?? 0) - ctx.clock.now().getTime()) / SECOND);
  if (seconds > 0) throw throttled(seconds);
}

/**
 * SQL that counts an attempt as wrong before it is checked, so that concurrent attempts all count; a right one is
 * uncounted. From the fifth on, n wrong ones are followed by 2^(n−5) seconds in which none is counted. `rows` provides
 * the tenant, the key, 1 and the time.
 */
function countFailureSql(now: Date, rows: Prisma.Sql): Prisma.Sql {
  const expiredBefore = new Date(now.getTime() - retention);
  return Prisma.sql`
    insert into sign_in_failures as f (tenant_id, key, failures, failed_at)
    ${rows}
    on conflict (tenant_id, key) do update set
      failures = case when f.failed_at < ${expiredBefore}::timestamptz then 1 else f.failures + 1 end,
      blocked_until = case when f.failed_at >= ${expiredBefore}::timestamptz and f.failures + 1 >= ${waitFrom}::int
        then ${now}::timestamptz + make_interval(secs => least(${longestWait / SECOND}::int,
          power(2, least(f.failures + 1 - ${waitFrom}::int, 20)))) end,
      failed_at = ${now}::timestamptz
    where f.blocked_until is null or f.blocked_until <= ${now}::timestamptz
    returning f.failures`;
}

/** SQL that counts an attempt in its row before the check. A locked row counts nothing and returns no row. */
function countInRowSql(now: Date, rows: Prisma.Sql): Prisma.Sql {
  const expiredBefore = new Date(now.getTime() - rowRetention);
  return Prisma.sql`
    insert into sign_in_failures as r (tenant_id, key, failures, failed_at, in_row)
    ${rows}
    on conflict (tenant_id, key) do update set
      failures = case when r.failed_at < ${expiredBefore}::timestamptz then 1 else r.failures + 1 end,
      closed_at = case when r.failed_at >= ${expiredBefore}::timestamptz and r.failures + 1 >= ${maxInRow}::int
        then ${now}::timestamptz end,
      failed_at = ${now}::timestamptz
    where r.closed_at is null
    returning r.failures`;
}

/**
 * Counts an attempt; rejects it while a wait is on.
 * @throws `rate_limited`
 */
export async function countFailure(ctx: Context, key: string): Promise<void> {
  const now = ctx.clock.now();
  const rows = Prisma.sql`values (${ctx.tenantId}::uuid, ${key}, 1, ${now}::timestamptz)`;
  const counted = await ctx.db.$queryRaw<object[]>(countFailureSql(now, rows));
  if (counted.length === 0) await rejectUncounted(ctx, key);
}

/** Rejects an attempt that was not counted: a wait is on, or has just ended. */
export async function rejectUncounted(ctx: Context, key: string): Promise<never> {
  const { tenantId } = ctx;
  const row = await ctx.db.signInFailure.findUnique({ where: { tenantId_key: { tenantId, key } } });
  assertNotThrottled(ctx, row?.blockedUntil);
  throw throttled(1);
}

export async function clearFailures(ctx: Context, key: string): Promise<void> {
  await ctx.db.signInFailure.deleteMany({ where: { tenantId: ctx.tenantId, key } });
}

const throttled = (seconds: number) =>
  rateLimited(`Too many wrong tries; try again in ${formatWait(seconds)}.`, seconds);

/** Records a failed sign-in of a patient: a wrong password, or a wrong or dead code. Not awaited. */
export const recordFailedSignIn = (ctx: Context, patientId: string, outcome: ErrorCode): void =>
  recordFailedAttempt(ctx, {
    action: 'sign_ins.try',
    object: { type: 'Patient', id: patientId },
    patients: [patientId],
    outcome,
  });

/** State of a row of wrong passwords, and of the requesting source. */
export type LockoutState = { closedAt: Date | null; toldAt: Date | null; approvedUntil: Date | null };

/**
 * Returns the counters of an attempt: those of its device if the account knows it; else those of its source, which also
 * count in the row of all unknown devices, unless the owner approved the source. Null during a lockout.
 */
export function countersOfAttempt(
  keys: FailureKeys,
  { closedAt, approvedUntil, isKnown }: Omit<LockoutState, 'toldAt'> & { isKnown: boolean },
  now: Date,
): AttemptCounters | null {
  if (isKnown) return { wait: keys.device, row: keys.deviceInRow };
  if (approvedUntil && approvedUntil > now) return { wait: keys.source, row: null };
  return closedAt ? null : { wait: keys.source, row: keys.unknownDevicesInRow };
}

/**
 * Reads the counters of the next attempt; null during a lockout.
 * @throws `rate_limited` while a wait is on
 */
export async function readAttempt(
  ctx: Context,
  keys: FailureKeys,
  isKnown: boolean,
): Promise<{ counters: AttemptCounters | null; notifiedAt: Date | null }> {
  const { db, tenantId, clock } = ctx;
  const rows = await db.signInFailure.findMany({ where: { tenantId, key: { in: Object.values(keys) } } });
  const rowOf = (key: string) => rows.find((row) => row.key === key);
  const { closedAt = null, toldAt: notifiedAt = null } = rowOf(keys.unknownDevicesInRow) ?? {};
  const { approvedUntil = null } = rowOf(keys.source) ?? {};
  const counters = countersOfAttempt(keys, { closedAt, approvedUntil, isKnown }, clock.now());
  if (counters) assertNotThrottled(ctx, rowOf(counters.wait)?.blockedUntil);
  return { counters, notifiedAt };
}

/**
 * SQL of `with` clauses that count an attempt before it is checked. `attempt` is a row source with the columns `wait`
 * and `row` of its counters; `countedSql` selects the result.
 */
export function countAttemptSql({ tenantId }: Context, now: Date, attempt: Prisma.Sql): Prisma.Sql {
  const wait = Prisma.sql`select ${tenantId}::uuid, wait, 1, ${now}::timestamptz from ${attempt}`;
  const row = Prisma.sql`select ${tenantId}::uuid, "row", 1, ${now}::timestamptz, true from ${attempt}, counted
    where "row" is not null`;
  return Prisma.sql`counted as (${countFailureSql(now, wait)}), in_row as (${countInRowSql(now, row)})`;
}
/** `inRow`: the number of wrong passwords in a row if this one is wrong; null where none is counted. */
export type CountedAttempt = { isCounted: boolean; inRow: number | null };
export const countedSql = Prisma.sql`exists (select from counted) as "isCounted", (select failures from in_row) as "inRow"`;

/**
 * SQL that locks the counters of an attempt in the order in which counting locks them. Otherwise two sign-ins of one
 * person from one source could block each other.
 */
const lockedSql = ({ tenantId }: Context, { wait, row }: AttemptCounters) => Prisma.sql`
  select key from sign_in_failures where tenant_id = ${tenantId}::uuid and key in (${wait}, ${row}::text)
  order by key = ${row}::text for update`;

/** SQL of `with` clauses that reset the counters after a right password. The time of the last notification stays. */
export function clearCountersSql(ctx: Context, counters: AttemptCounters): Prisma.Sql {
  const { tenantId } = ctx;
  return Prisma.sql`locked as (${lockedSql(ctx, counters)}),
    cleared as (delete from sign_in_failures where tenant_id = ${tenantId}::uuid
      and key in (select key from locked) and told_at is null),
    reopened as (update sign_in_failures set failures = 0, closed_at = null where tenant_id = ${tenantId}::uuid
      and key in (select key from locked where key = ${counters.row}::text) and told_at is not null)`;
}

/** Resets the counters after a right password. */
export async function clearCounters(ctx: Context, counters: AttemptCounters): Promise<void> {
  await ctx.db.$executeRaw`with ${clearCountersSql(ctx, counters)} select`;
}

/**
 * Uncounts one attempt after a right password, where others exist: an email may work at several clinics. The rest stays
 * counted, so that a caller who knows one password cannot continue guessing at another clinic.
 */
export async function uncountAttempt(ctx: Context, counters: AttemptCounters): Promise<void> {
  await ctx.db.$executeRaw`
    with locked as (${lockedSql(ctx, counters)})
    update sign_in_failures set failures = greatest(failures - 1, 0), blocked_until = null,
      closed_at = case when failures > ${maxInRow}::int then closed_at end
    where tenant_id = ${ctx.tenantId}::uuid and key in (select key from locked)`;
}

/** Notifies the owner of a lockout, at most once a day. `notify` queues the message. */
export async function notifyOfLockout(ctx: Context, row: string, notify: (tx: Tx) => Promise<void>): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const notifiedBefore = new Date(now.getTime() - notifyEvery);
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.signInFailure.updateMany({
      where: {
        tenantId,
        key: row,
        closedAt: { not: null },
        OR: [{ toldAt: null }, { toldAt: { lte: notifiedBefore } }],
      },
      data: { toldAt: now },
    });
    if (count === 1) await notify(tx);
  });
}

export const isNotified = ({ clock }: Context, notifiedAt: Date | null): boolean =>
  notifiedAt !== null && notifiedAt.getTime() > clock.now().getTime() - notifyEvery;

/**
 * Ends a lockout after the owner presented a secret from an email, and approves this source, so that an attacker
 * elsewhere cannot lock it out again before the owner has signed in.
 */
export async function clearLockout(
  db: Pick<Tx, '$executeRaw'>,
  ctx: Context,
  person: string,
  ip: string,
): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + approvedFor);
  const { source, unknownDevicesInRow } = failureKeys(ctx, person, { ip, device: null });
  await db.$executeRaw`
    with reopened as (
      update sign_in_failures set failures = 0, closed_at = null
      where tenant_id = ${tenantId}::uuid and key = ${unknownDevicesInRow}
    )
    insert into sign_in_failures (tenant_id, key, failures, failed_at, approved_until)
    values (${tenantId}::uuid, ${source}, 0, ${now}::timestamptz, ${until}::timestamptz)
    on conflict (tenant_id, key) do update set failures = 0, blocked_until = null, failed_at = excluded.failed_at,
      approved_until = excluded.approved_until`;
}

/** For a pending sign-up: its creator has the device, and anyone may sign up again. */
export const signUpLockedOut = () =>
  apiError(
    'sign_in_closed',
    'After many wrong passwords, this sign-up goes on only on the device where it began. Sign up again on this one.',
  );

export const lockedOut = () =>
  apiError(
    'sign_in_closed',
    'After many wrong passwords, only devices that have signed in before can sign in with the password. A link that lets new devices sign in again was sent by email; setting a new password does so too.',
  );
