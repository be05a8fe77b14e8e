import type { Context } from '#server/core/context.ts';
import { clearing } from '../../proving/closing/in-a-row.ts';
import type { Lane } from '../../proving/failures.ts';
import type { UserColumns } from '../../sessions/present-user.ts';

/** Columns of a patient who proved a password, as a sign-in needs them. */
export type ProvedPatient = UserColumns & {
  archivedAt: Date | null;
  careEndingAt: Date | null;
  canSignIn: boolean;
  /** Salt of the current password. */
  salt: string | null;
  confirmedAt: Date | null;
  temporaryUntil: Date | null;
  /** What a required reset takes; null when none is required. */
  resetBy: 'password' | 'staff' | null;
};

/** Resets the attempts that were counted as wrong and reads the patient, in one statement. */
export async function readProved(
  ctx: Context,
  { patientId, lane }: { patientId: string; lane: Lane },
): Promise<ProvedPatient | null> {
  const { tenantId } = ctx;
  const { cleared, reopened } = clearing(ctx, lane);
  const [patient] = await ctx.db.$queryRaw<ProvedPatient[]>`
    with cleared as (${cleared}), reopened as (${reopened})
    select p.archived_at as "archivedAt", p.care_ending_at as "careEndingAt", p.can_sign_in as "canSignIn", p.email, p.email_verified as "emailVerified",
      p.phone_number as "phoneNumber", p.phone_number_verified as "phoneNumberVerified",
      s.phone_number as "signInPhone", s.srp_identity as "srpIdentity", s.salt, s.confirmed_at as "confirmedAt",
      s.temporary_until as "temporaryUntil", s.reset_by as "resetBy"
    from patients p left join patient_sign_ins s on s.tenant_id = p.tenant_id and s.patient_id = p.id
    where p.tenant_id = ${tenantId}::uuid and p.id = ${patientId}::uuid`;
  return patient ?? null;
}
