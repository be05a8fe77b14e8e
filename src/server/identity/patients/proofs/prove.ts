import type { Wire } from '#sdk/protocol/endpoints.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { tokenOfTenant } from '#server/core/ids.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import { record } from '#server/core/record.ts';
import type { Caller } from '../../proving/caller.ts';
import { openTarget } from '../../proving/codes/issue-code.ts';
import { spendCode } from '../../proving/codes/spend-code.ts';
import { tryCode, wrong } from '../../proving/codes/try-code.ts';
import { personAt, personKey } from '../../proving/person.ts';
import { refuseTooMany } from '../../proving/refuse-too-many.ts';
import { inLine } from '../../srp/line.ts';
import { checkProof } from '../credentials/check-proof.ts';
import type { Inputs } from '../inputs.ts';
import { requireSession } from '../user/require-patient.ts';
import { keepProof, PROOF_LIFETIME, type ProvedBy, type Prover, readProof } from './proof.ts';

const PER_MINUTE = 300;
const expires_in = PROOF_LIFETIME / SECOND;

/**
 * Proves that the token's holder also knows the password, or reads the address that the patient signs in with; a change
 * of email or number requires it on an unknown device.
 * @throws `expired_handshake`, `invalid_credentials`, `rate_limited`, `service_busy`; `invalid_code`, `expired_code`,
 * `too_many_tries`
 */
export async function prove(ctx: Context, given: Inputs['proof'], caller: Caller): Promise<Wire['proof']['answer']> {
  const prover = requireSession(ctx);
  return 'code' in given ? byCode(ctx, prover, given.code, caller) : byPassword(ctx, prover, given, caller);
}

type Password = { handshake: string; M1: string };

/** Signed-in patients have priority in the queue. */
async function byPassword(ctx: Context, prover: Prover, { handshake, M1 }: Password, caller: Caller) {
  refuseTooMany(ctx, 'proof', caller, PER_MINUTE);
  const proved = await inLine(
    ctx.identity.proofs,
    () => checkProof(ctx, handshake, M1),
    async () => true,
  );
  if (proved.patientId !== prover.patientId || proved.clientId !== prover.clientId)
    throw refuse('invalid_credentials', 'The password is wrong.');
  const proof = await ctx.db.$transaction((tx) => keep(tx, ctx, prover, { by: 'password' }));
  return { proof, expires_in, M2: proved.M2 };
}

/** A repeated request (same Idempotency-Key) returns the same proof while it is valid. */
async function byCode(ctx: Context, prover: Prover, given: string, caller: Caller) {
  const which = { purpose: 'proof', person: personAt(prover.patientId, prover.sessionId) } as const;
  const code = await tryCode(ctx, which, given, { clientId: prover.clientId, tellsState: true });
  const address = personKey(ctx, openTarget(ctx, code));
  const token = tokenOfTenant(ctx.tenantId, keyedHash(ctx, 'proofs', code.id).toString('base64url'));
  const proof = await ctx.db.$transaction(async (tx) => {
    const spent = await spendCode(tx, ctx, code, caller);
    if (spent === 'now') return keep(tx, ctx, prover, { by: 'code', address }, token);
    return spent && (await readProof(tx, ctx, prover, token)) ? token : null;
  });
  if (!proof) throw wrong();
  return { proof, expires_in };
}

async function keep(tx: Tx, ctx: Context, prover: Prover, proved: ProvedBy, token?: string): Promise<string> {
  const { patientId } = prover;
  const kept = await keepProof(tx, ctx, prover, proved, token);
  const object = { type: 'Patient', id: patientId };
  await record(tx, ctx, { action: 'users.prove', object, patientId, details: { by: proved.by } });
  return kept;
}
