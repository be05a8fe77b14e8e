import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import type { Tx } from '../../core/db.ts';
import { newLinkToken } from '../../core/ids.ts';

type Kind = 'srp' | 'continuation';
type Step<State> = { patientId: string | null; clientId: string; state: State };

const boundTo = (tokenHash: string) => `sign_in_steps/${tokenHash}/state`;

/** Keeps what the next step needs under a token that is told once and works once. */
export async function keepStep<State>(
  db: Pick<Tx, 'signInStep'>,
  ctx: Context,
  kind: Kind,
  { patientId, clientId, state, lifetimeMs }: Step<State> & { lifetimeMs: number },
): Promise<string> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const token = newLinkToken(tenantId);
  const tokenHash = sha256(token);
  await db.signInStep.deleteMany({ where: { tenantId, expiresAt: { lt: now } } });
  await db.signInStep.create({
    data: {
      tenantId,
      tokenHash,
      kind,
      patientId,
      clientId,
      state: ctx.cipher.seal(JSON.stringify(state), boundTo(tokenHash)),
      expiresAt: new Date(now.getTime() + lifetimeMs),
      createdAt: now,
    },
  });
  return token;
}

/** Takes a step out, so that it is used once whoever comes first; null when it is not there or too old. */
export async function takeStep<State>(
  db: Pick<Tx, '$queryRaw'>,
  ctx: Context,
  kind: Kind,
  token: string,
): Promise<Step<State> | null> {
  const tokenHash = sha256(token);
  const [row] = await db.$queryRaw<
    { patientId: string | null; clientId: string; state: Uint8Array; expiresAt: Date }[]
  >`
    delete from sign_in_steps where tenant_id = ${ctx.tenantId}::uuid and token_hash = ${tokenHash} and kind = ${kind}
    returning patient_id as "patientId", client_id as "clientId", state, expires_at as "expiresAt"`;
  if (!row || row.expiresAt <= ctx.clock.now()) return null;
  const { patientId, clientId, state } = row;
  return { patientId, clientId, state: JSON.parse(ctx.cipher.open(state, boundTo(tokenHash))) };
}
