import { randomInt } from 'node:crypto';
import { HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { limitKey, strictest } from '#server/core/count-try.ts';
import type { Tx } from '#server/core/db.ts';
import { type CarelaneError, tooMany } from '#server/core/errors.ts';
import { inSeconds } from '#server/core/in-seconds.ts';
import { CODE_POLICY } from './code-policy.ts';

const { clinicPerHour, servicePerHour, shareOfUnknown } = CODE_POLICY;

/**
 * Randomly lowers the share of unknown devices by up to this much. Otherwise an attacker could use it up to the last
 * text message and learn from the next request whether the last one was sent, and so whether the account exists.
 */
const BLUR = 0.1;

type Spending = {
  known: boolean;
  texted: boolean;
  /** Keyed hashes, as stored. */
  keys: { source: string; prefix: string | null };
  /** Plain source address, for the limits over all clinics. */
  place: string;
  /** Null for an email. */
  prefix: string | null;
};
type Counts = Record<keyof typeof clinicPerHour, bigint>;

const shareOf = ({ known, prefix }: Pick<Spending, 'known' | 'prefix'>): number =>
  known ? 1 : shareOfUnknown - (prefix === null ? 0 : (BLUR * randomInt(1000)) / 1000);
const sendingOf = (prefix: string | null) => (prefix === null ? (['mails'] as const) : (['texts', 'prefix'] as const));

/**
 * Rejects a send beyond a limit of the clinic or the service; otherwise counts it.
 * @throws `rate_limited`
 */
export async function refuseOverspending(tx: Tx, ctx: Context, spending: Spending): Promise<void> {
  const { known, keys, prefix } = spending;
  const hourAgo = new Date(ctx.clock.now().getTime() - HOUR);
  const [counts] = await tx.$queryRaw<Counts[]>`
    select count(*) filter (where source = ${keys.source} and not known) as source,
      count(*) filter (where texted and prefix = ${keys.prefix}) as prefix,
      count(*) filter (where texted) as texts, count(*) filter (where prefix is null) as mails
    from code_sends where tenant_id = ${ctx.tenantId}::uuid and sent_at > ${hourAgo}::timestamptz`;
  const share = shareOf(spending);
  const isFull = (kind: keyof Counts, of: number) => counts![kind] >= clinicPerHour[kind] * of;
  // Known devices skip the limit of their source: on a shared address, unauthenticated clients must not delay them.
  if ((!known && isFull('source', 1)) || sendingOf(prefix).some((kind) => isFull(kind, share))) throw full(10 * MINUTE);
  const wait = countForService(ctx, spending);
  if (wait > 0) throw full(wait);
}

/** Counts a send over all clinics. Returns 0, or the milliseconds to wait if a limit is reached. */
export function countForService(ctx: Context, spending: Omit<Spending, 'keys'>): number {
  const { known, texted, place, prefix } = spending;
  const limiter = ctx.limits.hour;
  const share = shareOf(spending);
  const keyOf = { prefix: limitKey('spend/prefix', prefix ?? ''), texts: 'spend/texts', mails: 'spend/mails' };
  const sent = sendingOf(prefix).map((kind) => ({ key: keyOf[kind], limit: servicePerHour[kind] * share }));
  const asked = known ? [] : [{ key: limitKey('spend/source', place), limit: servicePerHour.source }];
  const takes = [...asked, ...sent];
  const { allowed, resetSeconds } = strictest(takes.map(({ key, limit }) => limiter.take(key, limit)));
  // A rejected or unsent message costs nothing and must not delay other requests.
  for (const { key } of allowed ? (prefix !== null && !texted ? sent : []) : takes) limiter.giveBack(key);
  return allowed ? 0 : resetSeconds * SECOND;
}

function full(wait: number): CarelaneError {
  const seconds = Math.ceil(wait / SECOND);
  return tooMany(`Too many codes are asked for at the moment; try again in ${inSeconds(seconds)}.`, seconds);
}
