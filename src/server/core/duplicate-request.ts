import type { AuditAction } from '#contract/audit-actions.ts';
import { credentialOf } from './actor.ts';
import { MINUTE } from './clock.ts';
import type { Context } from './context.ts';
import { sha256 } from './crypto.ts';
import type { Tx } from './db.ts';
import { CarelaneError } from './errors.ts';

/** A double tap, or a retry after a lost response, arrives within this time. */
const DUPLICATE_WINDOW = 10 * MINUTE;

/** Returns a hash that is equal for the same credential or staff user, the same action and equal parsed input. */
export const requestFingerprint = (ctx: Context, verb: string, input: object): string =>
  sha256(JSON.stringify([credentialOf(ctx.actor), verb, sortKeys(input)]));

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sortKeys(field)]),
  );
}

/** Equal requests before this instant are different requests. */
export const duplicatesSince = ({ clock }: Pick<Context, 'clock'>): Date =>
  new Date(clock.now().getTime() - DUPLICATE_WINDOW);

/** Serializes equal concurrent requests until the end of the transaction. */
export async function lockRequest(tx: Tx, { tenantId }: Context, fingerprint: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`request:${tenantId}:${fingerprint}`}, 0))`;
}

export const outcomeBoundTo = (tenantId: string, id: string): string => `idempotency_keys/${tenantId}/${id}/outcome`;

/** Returns 409 `idempotency_key_in_use` with a `Retry-After`. */
export const keyInUse = (detail: string): CarelaneError =>
  new CarelaneError({ code: 'idempotency_key_in_use', detail }, { headers: { 'retry-after': '1' } });

/** Returns the error of a run whose key another run has taken over. */
export const keyTakenOver = (): CarelaneError =>
  keyInUse('Another try with this Idempotency-Key has taken over; send it again.');

/**
 * Stores the outcome of the change under the request's key, in the change's own transaction. If another run has taken
 * the key over, the transaction fails, unless it only records what has already happened elsewhere (`isNews`).
 * @throws `idempotency_key_in_use`
 */
export async function storeOutcome(
  tx: Tx,
  ctx: Context,
  { action, payload, isNews }: { action: AuditAction; payload: unknown; isNews: boolean },
): Promise<void> {
  const { keyed, tenantId } = ctx;
  if (!keyed?.does.includes(action)) return;
  const { count } = await tx.idempotencyKey.updateMany({
    where: { tenantId, credential: credentialOf(ctx.actor), key: keyed.key, holder: keyed.holder },
    data: { outcome: ctx.cipher.seal(JSON.stringify(payload ?? null), outcomeBoundTo(tenantId, keyed.id)) },
  });
  if (count === 0 && !isNews) throw keyTakenOver();
}
