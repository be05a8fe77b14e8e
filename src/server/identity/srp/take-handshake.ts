import type { Context } from '../../core/context.ts';
import { Prisma } from '../../core/db.ts';
import { countingFailure, refuseUncounted } from './failures.ts';
import type { Handshake } from './start.ts';
import { openStep, type Step, takingStep } from './steps.ts';

type Row = Parameters<typeof openStep>[2] & { failureKey: string; isCounted: boolean };

/**
 * Takes a handshake out and counts the try in one statement; null when it is not there or too old.
 * Errors: rate_limited.
 */
export async function takeHandshake(
  ctx: Context,
  token: string,
): Promise<(Step<Handshake> & { failureKey: string }) | null> {
  const now = ctx.clock.now();
  const counting = countingFailure(
    now,
    Prisma.sql`select ${ctx.tenantId}::uuid, "failureKey", 1, ${now}::timestamptz from taken
      where "expiresAt" > ${now}::timestamptz`,
  );
  const [row] = await ctx.db.$queryRaw<Row[]>`
    with taken as (${takingStep(ctx, 'srp', token)}), counted as (${counting})
    select taken.*, exists (select from counted) as "isCounted" from taken`;
  const step = openStep<Handshake>(ctx, token, row);
  if (!row || !step) return null;
  if (!row.isCounted) await refuseUncounted(ctx, row.failureKey);
  return { ...step, failureKey: row.failureKey };
}
