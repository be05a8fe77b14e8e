import type { PatientSessionsInput, PatientSignInView } from '#contract/patient-sign-in.ts';
import { requireStaff } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { record } from '../../core/record.ts';
import { loadPatientFor } from '../../patients/load-patient.ts';
import { presentSession } from './present-session.ts';

const EARLIER_SHOWN = 10;

/** How a patient signs in, where they are signed in now, and their last sign-ins before. Leaves an audit entry. */
export async function readPatientSignIn(
  ctx: Context,
  { patient_id }: PatientSessionsInput,
): Promise<PatientSignInView> {
  requireStaff(ctx.actor);
  return ctx.db.$transaction(async (tx) => {
    const { id, email, emailVerified, phoneNumberVerified } = await loadPatientFor(ctx, patient_id, tx);
    const now = ctx.clock.now();
    const own = { tenantId: ctx.tenantId, patientId: id };
    const live = { endedAt: null, expiresAt: { gt: now } };
    const signIn = await tx.patientSignIn.findUnique({ where: { tenantId_patientId: own } });
    const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
    const sessions = await tx.patientSession.findMany({ where: { ...own, ...live }, orderBy: newestFirst });
    const earlier = await tx.patientSession.findMany({
      where: { ...own, NOT: live },
      orderBy: newestFirst,
      take: EARLIER_SHOWN,
    });
    await record(tx, ctx, { action: 'sign_ins.get', object: { type: 'Patient', id }, patientId: id });
    return {
      ways: [
        ...(signIn?.phoneNumber ? (['text_message'] as const) : []),
        ...(signIn?.srpIdentity ? [signIn.temporaryUntil ? ('invitation' as const) : ('password' as const)] : []),
      ],
      confirmed: Boolean(signIn?.confirmedAt),
      phone_number: signIn?.phoneNumber ?? null,
      phone_number_verified: phoneNumberVerified,
      email,
      email_verified: emailVerified,
      sessions: sessions.map((session) => presentSession(session, now)),
      earlier: earlier.map((session) => presentSession(session, now)),
    };
  });
}
