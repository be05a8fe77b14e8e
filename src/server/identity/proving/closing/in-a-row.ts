import { DAY, HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { type Lane, tryKeys } from '../failures.ts';

/** NIST SP 800-63B-4 §3.2.2: wrong ones in a row, after which only known devices may try on. */
export const MOST_IN_A_ROW = 100;
/** After so long without a wrong one the row begins anew; one that is closed stays so. */
export const ROW_KEPT = 7 * DAY;
/** While tries go on, the owner hears of it once in this time. */
const TOLD_EVERY = DAY;
/** How long somebody who opened a mail of ours has to sign in from there. */
const APPROVED_FOR = HOUR;

/** What is known of a row, and of the source that asks. */
export type Standing = { closedAt: Date | null; toldAt: Date | null; approvedUntil: Date | null };

/**
 * Which lane a try is in: that of its device where the account knows it, else that of its source, which counts among
 * all strangers unless the owner vouched for it. Null where it is closed.
 */
export function laneOfTry(
  keys: ReturnType<typeof tryKeys>,
  { closedAt, approvedUntil, isKnown }: Omit<Standing, 'toldAt'> & { isKnown: boolean },
  now: Date,
): Lane | null {
  if (isKnown) return { wait: keys.device, row: keys.deviceInRow };
  if (approvedUntil && approvedUntil > now) return { wait: keys.source, row: null };
  return closedAt ? null : { wait: keys.source, row: keys.strangersInRow };
}

/** The statement that counts a try in its row before it is checked. A closed row takes none: nothing is returned. */
export function countingInRow(now: Date, rows: Prisma.Sql): Prisma.Sql {
  const forgetBefore = new Date(now.getTime() - ROW_KEPT);
  return Prisma.sql`
    insert into sign_in_failures as r (tenant_id, key, failures, failed_at, in_row)
    ${rows}
    on conflict (tenant_id, key) do update set
      failures = case when r.failed_at < ${forgetBefore}::timestamptz then 1 else r.failures + 1 end,
      closed_at = case when r.failed_at >= ${forgetBefore}::timestamptz and r.failures + 1 >= ${MOST_IN_A_ROW}::int
        then ${now}::timestamptz end,
      failed_at = ${now}::timestamptz
    where r.closed_at is null
    returning r.failures`;
}

/** Statements, each to stand in a `with`, that begin the rows of a right password anew. When the owner was told stays known. */
export function clearing({ tenantId }: Context, { wait, row }: Lane): { cleared: Prisma.Sql; reopened: Prisma.Sql } {
  return {
    cleared: Prisma.sql`delete from sign_in_failures where tenant_id = ${tenantId}::uuid
      and (key = ${wait} or key = ${row}::text) and told_at is null`,
    reopened: Prisma.sql`update sign_in_failures set failures = 0, closed_at = null where tenant_id = ${tenantId}::uuid
      and key = ${row}::text and told_at is not null`,
  };
}

/** After a right password. */
export async function clearTries(ctx: Context, lane: Lane): Promise<void> {
  const { cleared, reopened } = clearing(ctx, lane);
  await ctx.db.$executeRaw`with cleared as (${cleared}) ${reopened}`;
}

/**
 * After a right password that is not the only one: of an e-mail that works at several clinics, say. Only that try is
 * taken back, so that nobody who knows one of them may go on guessing at another.
 */
export async function takeTryBack({ db, tenantId }: Context, { wait, row }: Lane): Promise<void> {
  await db.$executeRaw`
    update sign_in_failures set failures = greatest(failures - 1, 0), blocked_until = null,
      closed_at = case when failures > ${MOST_IN_A_ROW}::int then closed_at end
    where tenant_id = ${tenantId}::uuid and (key = ${wait} or key = ${row}::text)`;
}

/** Tells the owner that a row is closed, unless they were told within a day. `tell` queues the message. */
export async function tellOfClosing(ctx: Context, row: string, tell: (tx: Tx) => Promise<void>): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const before = new Date(now.getTime() - TOLD_EVERY);
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.signInFailure.updateMany({
      where: { tenantId, key: row, closedAt: { not: null }, OR: [{ toldAt: null }, { toldAt: { lte: before } }] },
      data: { toldAt: now },
    });
    if (count === 1) await tell(tx);
  });
}

export const isTold = ({ clock }: Context, toldAt: Date | null): boolean =>
  toldAt !== null && toldAt.getTime() > clock.now().getTime() - TOLD_EVERY;

/**
 * The owner has told what only a mail to them said, from this source: new devices may sign in again, and whoever goes on
 * guessing elsewhere cannot shut this source out before its owner has signed in.
 */
export async function reopen(db: Pick<Tx, '$executeRaw'>, ctx: Context, person: string, ip: string): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + APPROVED_FOR);
  const { source, strangersInRow } = tryKeys(ctx, person, { ip, device: null });
  await db.$executeRaw`
    with reopened as (
      update sign_in_failures set failures = 0, closed_at = null
      where tenant_id = ${tenantId}::uuid and key = ${strangersInRow}
    )
    insert into sign_in_failures (tenant_id, key, failures, failed_at, approved_until)
    values (${tenantId}::uuid, ${source}, 0, ${now}::timestamptz, ${until}::timestamptz)
    on conflict (tenant_id, key) do update set failures = 0, blocked_until = null, failed_at = excluded.failed_at,
      approved_until = excluded.approved_until`;
}

/** Of a sign-up that waits for its code: whoever made it has the device, and everybody may sign up again. */
export const closedSignUp = () =>
  refuse(
    'sign_in_closed',
    'After many wrong passwords, this sign-up goes on only on the device where it began. Sign up again on this one.',
  );

export const closed = () =>
  refuse(
    'sign_in_closed',
    'After many wrong passwords, only devices that have signed in before can sign in with the password. A link that lets new devices sign in again was sent by email; setting a new password does so too.',
  );
