import { DAY, HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { type AttemptCounters, failureKeys } from '../failures.ts';

/** NIST SP 800-63B-4 §3.2.2: number of wrong passwords in a row after which only known devices may try. */
export const MAX_WRONG_IN_ROW = 100;
/** A row without a wrong password for this long starts again; a lockout stays. */
export const ROW_RETENTION = 7 * DAY;
/** How often the owner is notified while attempts continue. */
const NOTIFY_EVERY = DAY;
/** How long the owner may sign in from the source where the emailed link was opened. */
const APPROVED_FOR = HOUR;

/** State of a row of wrong passwords, and of the requesting source. */
export type LockoutState = { closedAt: Date | null; toldAt: Date | null; approvedUntil: Date | null };

/**
 * Returns the counters of an attempt: those of its device if the account knows it; else those of its source, which also
 * count in the row of all unknown devices, unless the owner approved the source. Null during a lockout.
 */
export function countersOfAttempt(
  keys: ReturnType<typeof failureKeys>,
  { closedAt, approvedUntil, isKnown }: Omit<LockoutState, 'toldAt'> & { isKnown: boolean },
  now: Date,
): AttemptCounters | null {
  if (isKnown) return { wait: keys.device, row: keys.deviceInRow };
  if (approvedUntil && approvedUntil > now) return { wait: keys.source, row: null };
  return closedAt ? null : { wait: keys.source, row: keys.unknownDevicesInRow };
}

/** SQL that counts an attempt in its row before the check. A locked row counts nothing and returns no row. */
export function countInRowSql(now: Date, rows: Prisma.Sql): Prisma.Sql {
  const expiredBefore = new Date(now.getTime() - ROW_RETENTION);
  return Prisma.sql`
    insert into sign_in_failures as r (tenant_id, key, failures, failed_at, in_row)
    ${rows}
    on conflict (tenant_id, key) do update set
      failures = case when r.failed_at < ${expiredBefore}::timestamptz then 1 else r.failures + 1 end,
      closed_at = case when r.failed_at >= ${expiredBefore}::timestamptz and r.failures + 1 >= ${MAX_WRONG_IN_ROW}::int
        then ${now}::timestamptz end,
      failed_at = ${now}::timestamptz
    where r.closed_at is null
    returning r.failures`;
}

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
      closed_at = case when failures > ${MAX_WRONG_IN_ROW}::int then closed_at end
    where tenant_id = ${ctx.tenantId}::uuid and key in (select key from locked)`;
}

/** Notifies the owner of a lockout, at most once a day. `notify` queues the message. */
export async function notifyOfLockout(ctx: Context, row: string, notify: (tx: Tx) => Promise<void>): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const notifiedBefore = new Date(now.getTime() - NOTIFY_EVERY);
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
  notifiedAt !== null && notifiedAt.getTime() > clock.now().getTime() - NOTIFY_EVERY;

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
  const until = new Date(now.getTime() + APPROVED_FOR);
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
