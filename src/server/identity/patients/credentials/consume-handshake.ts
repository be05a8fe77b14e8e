import type { Context } from '#server/core/context.ts';
import { commitWithoutWaiting, Prisma } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import {
  type AttemptCounters,
  type CountedAttempt,
  countAttemptSql,
  countedSql,
  rejectUncounted,
  signUpLockedOut,
} from '../../verification/failures.ts';
import { rejectLockedOut } from '../../verification/lockout/notify-patient.ts';
import { consumeStepSql, findStep, openStep, type Step } from '../../verification/steps.ts';
import type { Handshake } from './start-srp.ts';

type Row = Parameters<typeof openStep>[2] & AttemptCounters & CountedAttempt;
export type ConsumedHandshake = Step<Handshake> & { counters: AttemptCounters; inRow: number | null };

/**
 * Deletes a handshake and counts the attempt in one statement; null if it does not exist or has expired.
 * @throws `rate_limited`, `sign_in_closed`
 */
export async function consumeHandshake(ctx: Context, token: string): Promise<ConsumedHandshake | null> {
  const now = ctx.clock.now();
  const attempt = Prisma.sql`(select * from taken where "expiresAt" > ${now}::timestamptz) as attempt`;
  const [consumed] = await ctx.db.$query<Row>(Prisma.sql`
    with taken as (${consumeStepSql(ctx, 'srp', token)}), ${countAttemptSql(ctx, now, attempt)}
    select taken.*, ${countedSql}, ${commitWithoutWaiting(ctx.db)} from taken`);
  const step = openStep<Handshake>(ctx, token, consumed, now);
  if (!consumed || !step) return null;
  const { wait, row } = consumed;
  if (!consumed.isCounted) await rejectUncounted(ctx, wait);
  if (row !== null && consumed.inRow === null) {
    const { email, signUp } = step.state;
    if (signUp) throw signUpLockedOut();
    return rejectLockedOut(ctx, { row, email, patientId: step.patientId, clientId: step.clientId });
  }
  return { ...step, counters: { wait, row }, inRow: consumed.inRow };
}

/**
 * Returns whether a pending handshake is of a known device.
 * @throws `expired_handshake`, so that an invalid one does not wait in the queue
 */
export async function isOfKnownDevice(ctx: Context, token: string): Promise<boolean> {
  const step = await findStep<Handshake>(ctx.db, ctx, 'srp', token);
  if (!step) throw expiredHandshake();
  return step.state.device !== null;
}

export const expiredHandshake = () => apiError('expired_handshake', 'This sign-in has taken too long; start again.');
