import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { commitWithoutWaiting, Prisma, type Queryable, query, type Tx } from '../../core/db.ts';
import { newLinkToken } from '../../core/ids.ts';
import type { AttemptCounters } from './failures.ts';

type Kind = 'srp' | 'continuation' | 'proof' | 'reopening';
export type Step<State> = { patientId: string | null; clientId: string; state: State };
type Row = { patientId: string | null; clientId: string; state: Uint8Array; expiresAt: Date };

const boundTo = (tokenHash: string) => `sign_in_steps/${tokenHash}/state`;

/**
 * Stores the state that the next step needs under a token that is returned only once. A crash of the database may lose
 * it, and then the person starts again. `forget_expired` deletes abandoned steps.
 */
export async function storeStep<State>(
  db: Queryable,
  ctx: Context,
  kind: Kind,
  { patientId, clientId, state, lifetimeMs, counters, token = newLinkToken(ctx.tenantId) }: Step<State> & StoreOptions,
): Promise<string> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const tokenHash = sha256(token);
  const sealed = ctx.cipher.seal(JSON.stringify(state), boundTo(tokenHash));
  const stored = Prisma.sql`
    insert into sign_in_steps (tenant_id, token_hash, kind, patient_id, client_id, state, failure_key, row_key,
      expires_at, created_at)
    values (${tenantId}::uuid, ${tokenHash}, ${kind}, ${patientId}::uuid, ${clientId}::uuid, ${sealed},
      ${counters?.wait ?? null}, ${counters?.row ?? null}, ${new Date(now.getTime() + lifetimeMs)}::timestamptz, ${now}::timestamptz)
    returning ${commitWithoutWaiting(db)}`;
  await query(db, stored);
  return token;
}

type StoreOptions = {
  lifetimeMs: number;
  /** Counters of the next step, if it counts as an attempt. */
  counters?: AttemptCounters;
  /** A new token by default; given when a repeated request has to return the same one. */
  token?: string;
};

/** SQL that deletes and returns a step, so that it is used once under concurrent requests. */
export const consumeStepSql = ({ tenantId }: Context, kind: Kind, token: string): Prisma.Sql => Prisma.sql`
  delete from sign_in_steps
  where tenant_id = ${tenantId}::uuid and token_hash = ${sha256(token)} and kind = ${kind}
  returning patient_id as "patientId", client_id as "clientId", state, expires_at as "expiresAt",
    failure_key as wait, row_key as "row"`;

/**
 * Decrypts the state of a step; null if it does not exist or has expired.
 * @param now the instant at which the caller checked the row, if it did
 */
export function openStep<State>(
  ctx: Context,
  token: string,
  row: Row | undefined,
  now: Date = ctx.clock.now(),
): Step<State> | null {
  if (!row || row.expiresAt <= now) return null;
  const { patientId, clientId, state } = row;
  return { patientId, clientId, state: JSON.parse(ctx.cipher.open(state, boundTo(sha256(token)))) };
}

/** Deletes and returns a step; null if it does not exist or has expired. */
export async function consumeStep<State>(
  db: Pick<Tx, '$queryRaw'>,
  ctx: Context,
  kind: Kind,
  token: string,
): Promise<Step<State> | null> {
  const [row] = await db.$queryRaw<Row[]>(consumeStepSql(ctx, kind, token));
  return openStep(ctx, token, row);
}

/** Reads a step without deleting it; null if it does not exist or has expired. */
export async function findStep<State>(
  db: Queryable,
  ctx: Context,
  kind: Kind,
  token: string,
): Promise<Step<State> | null> {
  const found = Prisma.sql`
    select patient_id as "patientId", client_id as "clientId", state, expires_at as "expiresAt" from sign_in_steps
    where tenant_id = ${ctx.tenantId}::uuid and token_hash = ${sha256(token)} and kind = ${kind}`;
  const [row] = await query<Row>(db, found);
  return openStep(ctx, token, row);
}

/**
 * Deletes pending codes and steps of a patient whose address has changed: a caller who holds only the old address must
 * not finish what they started there. The code and proof of the change itself stay, for a repeated request.
 */
export async function deleteCodesAndSteps(
  tx: Tx,
  { tenantId }: Context,
  patientId: string,
  except: { code?: string; proof?: string | undefined } = {},
): Promise<void> {
  const { code, proof } = except;
  await tx.oneTimeCode.deleteMany({ where: { tenantId, patientId, ...(code && { id: { not: code } }) } });
  await tx.signInStep.deleteMany({
    where: { tenantId, patientId, ...(proof && { tokenHash: { not: sha256(proof) } }) },
  });
}
