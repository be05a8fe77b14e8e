import { MAX_ATTEMPTS } from '#contract/webhooks.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import type { Claimed } from './claim-deliveries.ts';
import { sealResponse } from './endpoint.ts';
import { hourOf } from './health.ts';
import { firstAttemptAt } from './queue-deliveries.ts';
import type { Outcome } from './send-delivery.ts';

/** Pauses before the second attempt, the third, …; the first is immediate. */
const RETRY_DELAYS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 24 * HOUR];
/** Relative jitter in both directions, so that retries do not arrive all at once. */
const JITTER = 0.1;
/** Upper bound for the receiver's Retry-After. */
const MAX_RETRY_AFTER = DAY;
const GONE = 410;

/** A finished attempt. */
export type Attempt = { claimed: Claimed; outcome: Outcome };

/** The receiver reports that it accepts no more deliveries. */
export const isGone = ({ claimed, outcome }: Attempt): boolean => outcome.status === GONE && claimed.kind !== 'test';

/** The delivery was given up without having arrived. */
export const isParked = (attempt: Attempt): boolean => endOf(attempt) === 'parked';

/**
 * Records the results of attempts, counts them for the chart, and releases their deliveries; the next one in the queue of
 * an object becomes due.
 * @returns those whose lease this process still held; the others are not written
 * @see prisma/sql/carelane_conclude_deliveries.sql
 */
export async function concludeDeliveries(ctx: Context, attempts: Attempt[]): Promise<Attempt[]> {
  const now = ctx.clock.now();
  const outcomes = JSON.stringify(attempts.map((one) => toOutcomeRow(ctx, one, now)));
  const rows = await ctx.db.$query<{ id: string }>(Prisma.sql`
    select id from carelane_conclude_deliveries(${outcomes}::jsonb) as id`);
  const ours = new Set(rows.map(({ id }) => id));
  return attempts.filter(({ claimed }) => ours.has(claimed.id));
}

/** Returns the final state, in which the object's next delivery may be sent, or null while it is retried. */
function endOf(attempt: Attempt): 'delivered' | 'parked' | null {
  const { kind, attempts } = attempt.claimed;
  const { error, isPermanent } = attempt.outcome;
  if (error === null) return 'delivered';
  // It is attempted again when the endpoint is switched on.
  if (isGone(attempt)) return null;
  return isPermanent || kind === 'test' || attempts >= MAX_ATTEMPTS ? 'parked' : null;
}

function toOutcomeRow({ cipher }: Context, attempt: Attempt, now: Date) {
  const { claimed, outcome } = attempt;
  const { id, lease, endpoint_id, kind, object_id, event_id } = claimed;
  const end = endOf(attempt);
  const response = outcome.status === null ? null : sealResponse(cipher, id, outcome.answer);
  return {
    ...{ id, lease, endpoint_id, kind, object_id, event_id },
    state: end ?? 'waiting',
    next_try_at: end ? null : nextAttemptAt(claimed.attempts, outcome.retryAfter, now),
    ended_at: end ? now : null,
    release_at: end ? firstAttemptAt(claimed, now) : null,
    hour: hourOf(now),
    status: outcome.status,
    error: outcome.error,
    ms: outcome.ms,
    answer: response && Buffer.from(response).toString('base64'),
    sent: outcome.as,
  };
}

/**
 * Returns the time of the next attempt. Exported for its test.
 * @param retryAfter seconds or a date (RFC 9110 §10.2.3)
 */
export function nextAttemptAt(attempts: number, retryAfter: string | null, now: Date): Date {
  const planned = RETRY_DELAYS[Math.min(attempts, RETRY_DELAYS.length) - 1]! * (1 + JITTER * (2 * Math.random() - 1));
  const text = retryAfter?.trim() ?? '';
  const requestedMs = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  const minimum = Number.isFinite(requestedMs) ? Math.min(requestedMs, MAX_RETRY_AFTER) : 0;
  return new Date(now.getTime() + Math.round(Math.max(planned, minimum)));
}

/** Returns the endpoints among these that are switched off or deleted. */
export async function findSwitchedOff({ db, tenantId }: Context, all: string[]): Promise<Set<string>> {
  const ids = [...new Set(all)];
  if (ids.length === 0) return new Set();
  const rows = await db.$query<{ id: string }>(Prisma.sql`
    select id from webhook_endpoints where tenant_id = ${tenantId}::uuid and id = any(${ids}::uuid[]) and enabled`);
  const enabled = new Set(rows.map(({ id }) => id));
  return new Set(ids.filter((id) => !enabled.has(id)));
}

/** Gives back attempts that this process interrupted; they do not count. */
export async function releaseDeliveries({ db, tenantId, clock }: Context, claimed: Claimed[]): Promise<void> {
  if (claimed.length === 0) return;
  await db.$executeRaw`
    update webhook_deliveries as d set state = 'waiting', lease = null, leased_until = null,
      next_try_at = ${clock.now()}::timestamptz, attempts = attempts - 1
    from unnest(${claimed.map(({ id }) => id)}::uuid[], ${claimed.map(({ lease }) => lease)}::uuid[]) as ours (id, lease)
    where d.tenant_id = ${tenantId}::uuid and d.id = ours.id and d.lease = ours.lease and d.state = 'sending'`;
}
