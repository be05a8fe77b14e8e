import { credentialOf } from './actor.ts';
import type { Context } from './context.ts';
import type { Tx } from './db.ts';
import { CarelaneError } from './errors.ts';

export const outcomeBoundTo = (tenantId: string, id: string): string => `idempotency_keys/${tenantId}/${id}/outcome`;

/** 409 `idempotency_key_in_use`, which says in `Retry-After` when to send the request again. */
export const keyInUse = (detail: string): CarelaneError =>
  new CarelaneError({ code: 'idempotency_key_in_use', detail }, { headers: { 'retry-after': '1' } });

/** For a run whose key another run holds by now. */
export const keyLost = (): CarelaneError =>
  keyInUse('Another try with this Idempotency-Key has taken over; send it again.');

/**
 * Writes under the request's key what the request has done, in the transaction that does it: once one is there, so is
 * the other. A run that has lost its key to another may do nothing more, so its transaction fails; unless it only notes
 * what has happened elsewhere already (`isNews`).
 */
export async function keepOutcome(
  tx: Tx,
  ctx: Context,
  { action, payload, isNews }: { action: string; payload: unknown; isNews: boolean },
): Promise<void> {
  const { keyed, tenantId } = ctx;
  if (!keyed?.does.includes(action)) return;
  const { count } = await tx.idempotencyKey.updateMany({
    where: { tenantId, credential: credentialOf(ctx.actor), key: keyed.key, holder: keyed.holder },
    data: { outcome: ctx.cipher.seal(JSON.stringify(payload ?? null), outcomeBoundTo(tenantId, keyed.id)) },
  });
  if (count === 0 && !isNews) throw keyLost();
}
