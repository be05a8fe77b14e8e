import type { Subscription } from '#generated/prisma/client.ts';
import type { Actor } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { StripeFailure } from '#server/providers/stripe.ts';
import type { Facts } from '../records/subscription.ts';

/** As long as it may take until a change that Stripe has made is found, whatever was lost on the way. */
const COUNTS_FOR = 20 * MINUTE;

export type Wanted = {
  /** For the audit log, as the verb's own entry would say it. */
  action: string;
  details: Record<string, unknown>;
  /** A change of any of these is what was asked for. */
  facts: (keyof Facts)[];
};
/** Who asked for what, from where, and until when a change counts as theirs. */
export type Word = Wanted & {
  id: string;
  actor: Record<string, unknown>;
  requestId: string;
  ip: string | null;
  userAgent: string | null;
  until: string;
};

/** What has been asked for and was not seen to be done yet. */
export const openWords = ({ asked }: Pick<Subscription, 'asked'>, now: Date): Word[] =>
  (asked as Word[]).filter(({ until }) => Date.parse(until) > now.getTime());

/**
 * Asks Stripe for a change after leaving word of who does so: Stripe's own webhook may be faster than the verb, and then
 * tells the change in the caller's name. Returned is what the verb's own reading is given. A refusal takes the word back; a
 * call without a known outcome leaves it, for what it asked for may be found yet.
 */
export async function askFor(ctx: Context, id: string, wanted: Wanted, ask: () => Promise<unknown>) {
  const now = ctx.clock.now();
  const { scopes: _, ...actor } = { scopes: null, ...ctx.actor };
  const until = new Date(now.getTime() + COUNTS_FOR).toISOString();
  const { requestId, ip, userAgent, tenantId } = ctx;
  const word: Word = { ...wanted, id: newId(now), actor, requestId, ip, userAgent, until };
  await ctx.db.$executeRaw`
    update subscriptions set asked = asked || ${JSON.stringify([word])}::jsonb
    where tenant_id = ${tenantId}::uuid and id = ${id}`;
  try {
    await ask();
  } catch (error) {
    if (error instanceof CarelaneError && !(error instanceof StripeFailure))
      await ctx.db.$executeRaw`
        update subscriptions set asked = jsonb_path_query_array(asked, '$[*] ? (@.id != $id)', ${JSON.stringify({ id: word.id })}::jsonb)
        where tenant_id = ${tenantId}::uuid and id = ${id}`;
    throw error;
  }
  return { action: wanted.action, details: wanted.details, word: word.id };
}

/** The context of who left the word: what is written with it stands in their name. */
export const inNameOf = (ctx: Context, { actor, requestId, ip, userAgent }: Word): Context => ({
  ...ctx,
  actor: { scopes: new Set(), ...actor } as unknown as Actor,
  requestId,
  ip,
  userAgent,
  keyed: null,
});
