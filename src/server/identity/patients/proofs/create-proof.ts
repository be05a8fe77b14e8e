import type { Wire } from '#sdk/protocol/endpoints.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { tokenOfTenant } from '#server/core/ids.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import { record } from '#server/core/record.ts';
import { runQueued } from '../../srp/work-queue.ts';
import { assertWithinLimit } from '../../verification/assert-within-limit.ts';
import type { Caller } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { openTarget } from '../../verification/codes/issue-code.ts';
import { invalidCode, verifyCode } from '../../verification/codes/verify-code.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { verifySrpProof } from '../credentials/verify-srp-proof.ts';
import type { Inputs } from '../inputs.ts';
import { requireSession } from '../user/require-patient.ts';
import { findProof, PROOF_LIFETIME, type ProofMethod, type ProofOwner, storeProof } from './proof.ts';

const PER_MINUTE = 300;
const expires_in = PROOF_LIFETIME / SECOND;

/**
 * Proves that the token's holder also knows the password, or reads the address that the patient signs in with; a change
 * of email or number requires it on an unknown device.
 * @throws `expired_handshake`, `invalid_credentials`, `rate_limited`, `service_busy`; `invalid_code`, `expired_code`,
 * `too_many_tries`
 */
export async function createProof(
  ctx: Context,
  given: Inputs['proof'],
  caller: Caller,
): Promise<Wire['proof']['answer']> {
  const prover = requireSession(ctx);
  return 'code' in given ? byCode(ctx, prover, given.code, caller) : byPassword(ctx, prover, given, caller);
}

type Password = { handshake: string; M1: string };

/** Signed-in patients have priority in the queue. */
async function byPassword(ctx: Context, prover: ProofOwner, { handshake, M1 }: Password, caller: Caller) {
  assertWithinLimit(ctx, 'proof', caller, PER_MINUTE);
  const proved = await runQueued(
    ctx.identity.proofs,
    () => verifySrpProof(ctx, handshake, M1),
    async () => true,
  );
  if (proved.patientId !== prover.patientId || proved.clientId !== prover.clientId)
    throw apiError('invalid_credentials', 'The password is wrong.');
  const proof = await ctx.db.$transaction((tx) => keep(tx, ctx, prover, { by: 'password' }));
  return { proof, expires_in, M2: proved.M2 };
}

/** A repeated request (same Idempotency-Key) returns the same proof while it is valid. */
async function byCode(ctx: Context, prover: ProofOwner, given: string, caller: Caller) {
  const which = { purpose: 'proof', person: personAt(prover.patientId, prover.sessionId) } as const;
  const code = await verifyCode(ctx, which, given, { clientId: prover.clientId, revealsState: true });
  const address = personKey(ctx, openTarget(ctx, code));
  const token = tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'proofs', code.id).toString('base64url'));
  const proof = await ctx.db.$transaction(async (tx) => {
    const spent = await consumeCode(tx, ctx, code, caller);
    if (spent === 'now') return keep(tx, ctx, prover, { by: 'code', address }, token);
    return spent && (await findProof(tx, ctx, prover, token)) ? token : null;
  });
  if (!proof) throw invalidCode();
  return { proof, expires_in };
}

async function keep(tx: Tx, ctx: Context, prover: ProofOwner, proved: ProofMethod, token?: string): Promise<string> {
  const { patientId } = prover;
  const kept = await storeProof(tx, ctx, prover, proved, token);
  const object = { type: 'Patient', id: patientId };
  await record(tx, ctx, { action: 'users.prove', object, patientId, details: { by: proved.by } });
  return kept;
}
