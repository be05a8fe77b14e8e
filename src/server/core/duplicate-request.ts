import { credentialOf } from './actor.ts';
import { MINUTE } from './clock.ts';
import type { Context } from './context.ts';
import { sha256 } from './crypto.ts';
import type { Tx } from './db.ts';

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
