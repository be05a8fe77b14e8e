import { credentialOf } from './actor.ts';
import { MINUTE } from './clock.ts';
import type { Context } from './context.ts';
import { sha256 } from './crypto.ts';
import type { Tx } from './db.ts';

/** A second tap, or a try after an answer that was lost, comes within this time. */
const SAME_FOR = 10 * MINUTE;

/** Who asks for what: one text for the same credential or member of staff, the same verb and equal parsed input. */
export const askedBy = (ctx: Context, verb: string, input: object): string =>
  sha256(JSON.stringify([credentialOf(ctx.actor), verb, inOrder(input)]));

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, inOrder(field)]),
  );
}

/** What was asked for before this moment is another request, however equal. */
export const sameSince = ({ clock }: Pick<Context, 'clock'>): Date => new Date(clock.now().getTime() - SAME_FOR);

/** Of equal requests that come at once, one after the other; until the transaction ends. */
export async function lockRequest(tx: Tx, { tenantId }: Context, asked: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`request:${tenantId}:${asked}`}, 0))`;
}
