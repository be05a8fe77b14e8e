import type { AuditAction } from '#contract/audit-actions.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { type Change, type EventName, record } from '#server/core/record.ts';
import { getPatientView } from './patient-view.ts';

/** Verification flags to set or reset; `canSignIn` is set by the first verification after sign-up. */
type VerificationFlags = {
  emailVerified?: boolean;
  phoneNumberVerified?: boolean;
  canSignIn?: true;
  status?: 'active';
};
type Confirmation = { id: string; flags: VerificationFlags; action: AuditAction; event: EventName } & Pick<
  Change,
  'details'
>;

/** Updates what a patient has verified, in the caller's transaction. */
export async function confirmPatient(
  tx: Tx,
  ctx: Context,
  { id, flags, action, event, details = {} }: Confirmation,
): Promise<void> {
  await tx.patient.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id } },
    data: { ...flags, updatedAt: ctx.clock.now() },
  });
  const payload = await getPatientView(tx, ctx, id);
  await record(tx, ctx, { action, object: { type: 'Patient', id }, patientId: id, event, payload, details });
}
