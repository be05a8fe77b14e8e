import type { Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import type { Caller } from '../../verification/caller.ts';
import { lockPerson } from '../../verification/person.ts';
import { assertSourceLimit } from '../../verification/request-context.ts';
import type { Inputs } from '../inputs.ts';
import { parseUsNumber } from '../parse-us-number.ts';
import { planSignUp, registerPatient } from '../register-patient.ts';
import { isUnconfirmed, pendingSignUpKeys, storePendingSignUp } from '../sign-ups/pending-sign-up.ts';

/**
 * Creates a patient who signs in by codes to this number, without revealing whether one existed. Until the first
 * sign-in each device's sign-up is stored separately, and that of the device that signs in takes effect.
 */
export async function signUp(services: Services, caller: Caller, input: Inputs['passwordlessSignUp']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'passwordless');
  const { attributes, attempt } = input;
  const phoneNumber = parseUsNumber(input.phone_number);
  const plan = await planSignUp(ctx, { phone_number: phoneNumber }, attributes);
  assertSourceLimit(ctx, 'phone_sign_ups', caller);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${phoneNumber}`);
    const where = { tenantId_phoneNumber: { tenantId, phoneNumber } };
    const existing = await tx.patientSignIn.findUnique({ where, include: { patient: true } });
    const newPatientId = newId(ctx.clock.now());
    const isTaken = existing !== null;
    await registerPatient(tx, ctx, { id: newPatientId, plan, signIn: { phoneNumber }, clientId, isTaken });
    const patientId = existing ? (isUnconfirmed(existing) ? existing.patientId : null) : newPatientId;
    const keys = pendingSignUpKeys(ctx, phoneNumber, attempt);
    const content = { attributes };
    await storePendingSignUp(tx, ctx, caller, { ...keys, patientId, clientId, content, madeRecord: !isTaken });
  });
}
