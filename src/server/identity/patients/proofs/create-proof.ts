import type { Wire } from '#sdk/protocol/endpoints.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { tokenOfTenant } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { runQueued } from '../../srp/work-queue.ts';
import type { Caller } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { openTarget } from '../../verification/codes/issue-code.ts';
import { invalidCode, verifyCode } from '../../verification/codes/verify-code.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { assertSourceLimit } from '../../verification/request-context.ts';
import { verifySrpProof } from '../credentials/verify-srp-proof.ts';
import type { Inputs } from '../inputs.ts';
import { requireSession } from '../user/authorize.ts';
import { findProof, PROOF_LIFETIME, type ProofMethod, type ProofOwner, storeProof } from './proof.ts';

const expires_in = PROOF_LIFETIME / SECOND;

/**
 * Proves that the token's holder also knows the password, or reads the address that the patient signs in with; a change
 * of email or number requires it on an unknown device.
 * @throws `expired_handshake`, `invalid_credentials`, `rate_limited`, `service_busy`; `invalid_code`, `expired_code`,
 * `too_many_tries`
 */
export async function createProof(
  ctx: Context,
  input: Inputs['proof'],
  caller: Caller,
): Promise<Wire['proof']['response']> {
  const owner = requireSession(ctx);
  return 'code' in input ? byCode(ctx, owner, input.code, caller) : byPassword(ctx, owner, input, caller);
}

type Password = { handshake: string; M1: string };

/** Signed-in patients have priority in the queue. */
async function byPassword(ctx: Context, owner: ProofOwner, { handshake, M1 }: Password, caller: Caller) {
  assertSourceLimit(ctx, 'password_proofs', caller);
  const verified = await runQueued(
    ctx.identity.proofs,
    () => verifySrpProof(ctx, handshake, M1),
    async () => true,
  );
  if (verified.patientId !== owner.patientId || verified.clientId !== owner.clientId)
    throw apiError('invalid_credentials', 'The password is wrong.');
  const proof = await ctx.db.$transaction((tx) => recordProof(tx, ctx, owner, { by: 'password' }));
  return { proof, expires_in, M2: verified.M2 };
}

/** A repeated request (same Idempotency-Key) returns the same proof while it is valid. */
async function byCode(ctx: Context, owner: ProofOwner, enteredCode: string, caller: Caller) {
  const key = { purpose: 'proof', person: personAt(owner.patientId, owner.sessionId) } as const;
  const code = await verifyCode(ctx, key, enteredCode, { clientId: owner.clientId, revealsState: true });
  const address = personKey(ctx, openTarget(ctx, code));
  const token = tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'proofs', code.id).toString('base64url'));
  const proof = await ctx.db.$transaction(async (tx) => {
    const consumed = await consumeCode(tx, ctx, code, caller);
    if (consumed === 'now') return recordProof(tx, ctx, owner, { by: 'code', address }, token);
    return consumed && (await findProof(tx, ctx, owner, token)) ? token : null;
  });
  if (!proof) throw invalidCode();
  return { proof, expires_in };
}

async function recordProof(
  tx: Tx,
  ctx: Context,
  owner: ProofOwner,
  method: ProofMethod,
  token?: string,
): Promise<string> {
  const { patientId } = owner;
  const stored = await storeProof(tx, ctx, owner, method, token);
  const object = { type: 'Patient', id: patientId };
  await record(tx, ctx, { action: 'users.verify', object, patientId, details: { by: method.by } });
  return stored;
}
