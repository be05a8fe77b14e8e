import { recordFailedAttempt } from '#server/core/record-access.ts';
import { DAY, SECOND } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { keyedHash } from '../../core/crypto.ts';
import { Prisma } from '../../core/db.ts';
import { type ErrorCode, formatSeconds, rateLimited } from '../../core/errors.ts';
import { sourceOf } from '../../core/ip-address.ts';

const FREE_FAILURES = 5;
const LONGEST_WAIT_SECONDS = 900;

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
export function countFailureSql(now: Date, rows: Prisma.Sql): Prisma.Sql {
  const expiredBefore = new Date(now.getTime() - DAY);
  return Prisma.sql`
    insert into sign_in_failures as f (tenant_id, key, failures, failed_at)
    ${rows}
    on conflict (tenant_id, key) do update set
      failures = case when f.failed_at < ${expiredBefore}::timestamptz then 1 else f.failures + 1 end,
      blocked_until = case when f.failed_at >= ${expiredBefore}::timestamptz and f.failures + 1 >= ${FREE_FAILURES}::int
        then ${now}::timestamptz + make_interval(secs => least(${LONGEST_WAIT_SECONDS}::int,
          power(2, least(f.failures + 1 - ${FREE_FAILURES}::int, 20)))) end,
      failed_at = ${now}::timestamptz
    where f.blocked_until is null or f.blocked_until <= ${now}::timestamptz
    returning f.failures`;
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
  rateLimited(`Too many wrong passwords; try again in ${formatSeconds(seconds)}.`, seconds);

/** Records a failed sign-in of a patient: a wrong password, or a wrong or dead code. Not awaited. */
export const recordFailedSignIn = (ctx: Context, patientId: string, outcome: ErrorCode): void =>
  recordFailedAttempt(ctx, {
    action: 'sign_ins.try',
    object: { type: 'Patient', id: patientId },
    patients: [patientId],
    outcome,
  });
