import type { CallSeatView } from '#contract/visit-call.ts';
import type { EnterVisitInput } from '#contract/visits.ts';
import type { Appointment, Tenant } from '#generated/prisma/client.ts';
import { asServiceForVisitor, type Context } from '#server/core/context.ts';
import { sameSecret } from '#server/core/crypto.ts';
import { apiError } from '#server/core/errors.ts';
import { assertRateLimit } from '#server/core/rate-limiter.ts';
import { findAppointmentByToken } from './open-visit.ts';
import { hashOfHold } from './seat.ts';
import { isValidPass } from './sign-link.ts';
import { assertRoomOpen, takeSeat } from './take-seat.ts';
import { actingStaff, loadVisitAppointment } from './visit.ts';

/**
 * Verifies what the tenant requires in addition to the link: a date of birth, or a pass that proves a sign-in. The hold
 * of an active seat in this call is accepted instead, so that a reload needs no verification. The error does not reveal
 * whether the date was missing, wrong, or unknown for this patient.
 *
 * @throws 403 `verification_required` naming the requirement; 429 after too many wrong dates.
 */
async function checkPatient(
  ctx: Context,
  { visitCheck }: Pick<Tenant, 'visitCheck'>,
  appointment: Pick<Appointment, 'id' | 'patientId' | 'videoToken'>,
  { birthDate: sentBirthDate, pass, hold }: { birthDate: string | null; pass: string | null; hold: string | null },
): Promise<void> {
  if (visitCheck === 'none') return;
  if (hold !== null && (await holdsSeat(ctx, appointment, hold))) return;
  if (visitCheck === 'sign_in') {
    if (pass !== null && isValidPass(ctx, appointment.videoToken, pass)) return;
    throw apiError('verification_required', 'This clinic asks patients to sign in, and to open the visit from there.', {
      meta: { asks: ['sign_in'] },
    });
  }
  const { db, tenantId } = ctx;
  const verificationRequired = apiError(
    'verification_required',
    'This clinic asks for the date of birth beside the link.',
    {
      meta: { asks: ['date_of_birth'] },
    },
  );
  if (sentBirthDate === null) throw verificationRequired;
  const uncount = assertRateLimit(ctx, { name: 'wrong_birth_dates', key: [appointment.videoToken] });
  const patient = await db.patient.findFirst({
    where: { tenantId, id: appointment.patientId },
    select: { birthDate: true },
  });
  const storedBirthDate = patient?.birthDate?.toISOString().slice(0, 10) ?? 'unknown';
  if (!sameSecret(storedBirthDate, sentBirthDate)) throw verificationRequired;
  uncount();
}

async function holdsSeat(
  ctx: Context,
  { id, patientId }: Pick<Appointment, 'id' | 'patientId'>,
  hold: string,
): Promise<boolean> {
  const { tenantId } = ctx;
  const holdHash = hashOfHold(ctx, hold);
  const own = { tenantId, appointmentId: id, patientId, side: 'patient', leftAt: null, holdHash };
  return (await ctx.db.visitSeat.findFirst({ where: own, select: { id: true } })) !== null;
}

/**
 * Takes the patient's seat by the video link, after the tenant's verification. `hold`: the browser tab's secret, with
 * which it can rejoin.
 *
 * @throws errors of `takeSeat`; 404 for an unknown link; 403 `verification_required`; 429.
 */
export async function enterVisit(ctx: Context, input: EnterVisitInput): Promise<CallSeatView> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A visit is entered from its link.');
  const { appointment, tenant } = await findAppointmentByToken(ctx, input.token);
  // Checked first: outside the window the response must not reveal whether verification would pass.
  assertRoomOpen(ctx, appointment);
  await checkPatient(ctx, tenant, appointment, {
    birthDate: input.date_of_birth ?? null,
    pass: input.pass ?? null,
    hold: input.hold ?? null,
  });
  const own = asServiceForVisitor(ctx, 'visit_link');
  return takeSeat(own, appointment, {
    action: 'visits.enter',
    side: 'patient',
    staffId: null,
    hold: input.hold ?? null,
  });
}

/**
 * Takes the staff seat of an appointment's call; the same staff user can take it again on another page or device.
 *
 * @throws errors of `takeSeat`; forbidden, not_found.
 */
export async function enterAsStaff(ctx: Context, { id }: { id: string }): Promise<CallSeatView> {
  const staffId = actingStaff(ctx, 'visits:host');
  const appointment = await loadVisitAppointment(ctx, id);
  return takeSeat(ctx, appointment, { action: 'visits.enter_as_staff', side: 'staff', staffId, hold: null });
}
