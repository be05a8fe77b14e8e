import { NoInput } from '#contract/patients.ts';
import { OpenTestInput, ReportTestInput, TryLineInput } from '#contract/visit-test.ts';
import {
  AttendanceInput,
  EnterVisitInput,
  OpenVisitInput,
  SetVisitCheckInput,
  type VisitCheckView,
  VisitIdInput,
  type WaitingView,
} from '#contract/visits.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { isOwnRoom, videoUrl } from '#server/core/video-url.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { exchangeLink } from '#server/scheduling/index.ts';
import { lockCall, presentCall } from './call.ts';
import { endCall } from './end-call.ts';
import { enterAsStaff, enterVisit } from './enter-visit.ts';
import { listAttendance } from './list-attendance.ts';
import { openVisit } from './open-visit.ts';
import { ABANDONED_AFTER_S, PRESENT_WITHIN_S, vacateSeats } from './seat.ts';
import { showCall } from './show-call.ts';
import { signLink } from './sign-link.ts';
import { assertRoomOpen } from './take-seat.ts';
import { actingStaff, loadVisitAppointment, openWindowBounds } from './visit.ts';
import { openTest, reportTest, tryLine } from './visit-test.ts';

/** Returns what the tenant requires of patients in addition to the video link. Admins only. */
async function getVisitCheck(ctx: Context): Promise<VisitCheckView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const tenant = await ctx.db.tenant.findFirst({ where: { id: ctx.tenantId }, select: { visitCheck: true } });
  if (!tenant) throw notFound('clinic');
  return { check: tenant.visitCheck as VisitCheckView['check'], is_own_room: isOwnRoom(ctx) };
}

/** Sets the requirement, which applies from the next join. Admins only. */
async function setVisitCheck(ctx: Context, { check }: SetVisitCheckInput): Promise<VisitCheckView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.tenant.updateMany({
      where: { id: tenantId, visitCheck: { not: check } },
      data: { visitCheck: check },
    });
    if (count > 0)
      await record(tx, ctx, {
        action: 'clinic.set_visit_check',
        object: { type: 'Tenant', id: tenantId },
        details: { check },
      });
  });
  return { check, is_own_room: isOwnRoom(ctx) };
}

type Row = {
  appointment_id: string;
  patient_id: string;
  first_name: string | null;
  last_name: string | null;
  birth_date: string | null;
  calendar: string;
  practitioner_id: string | null;
  start_at: Date;
  time_zone: string;
  sat_at: Date;
  silent_seconds: number;
};

/** Lists the patients who wait to be let in, ordered by appointment start. Staff users only. */
async function listWaiting(ctx: Context): Promise<WaitingView[]> {
  actingStaff(ctx, 'appointments:read');
  const { tenantId } = ctx;
  const { opens, closes } = openWindowBounds(ctx.clock.now());
  const rows = await ctx.db.$queryRaw<Row[]>`
    select appointment.id::text as appointment_id, appointment.patient_id::text, patient.first_name, patient.last_name,
      to_char(patient.birth_date, 'YYYY-MM-DD') as birth_date,
      appointment.calendar, appointment.practitioner_id::text, appointment.start_at, appointment.time_zone,
      -- The waiting time continues when the seat is taken again by a reload, and restarts after leaving.
      coalesce((select min(first.sat_at) from visit_seats as first
        where first.tenant_id = seat.tenant_id and first.appointment_id = seat.appointment_id
          and first.side = 'patient' and first.why_left = 'taken' and first.sat_at > coalesce((
            select max(gone.left_at) from visit_seats as gone
            where gone.tenant_id = seat.tenant_id and gone.appointment_id = seat.appointment_id
              and gone.side = 'patient' and gone.why_left <> 'taken'), '-infinity')), seat.sat_at) as sat_at,
      extract(epoch from clock_timestamp() - seat.heard_at)::float8 as silent_seconds
    from visit_seats as seat
    join appointments as appointment on appointment.tenant_id = seat.tenant_id and appointment.id = seat.appointment_id
    join patients as patient on patient.tenant_id = appointment.tenant_id and patient.id = appointment.patient_id
    where seat.tenant_id = ${tenantId}::uuid and seat.side = 'patient' and seat.left_at is null
      and seat.admitted_at is null and appointment.status = 'scheduled'
      and appointment.start_at <= ${opens}::timestamptz and appointment.end_at > ${closes}::timestamptz
      and seat.heard_at > clock_timestamp() - ${ABANDONED_AFTER_S}::int * interval '1 second'
    order by appointment.start_at, appointment.id`;
  return rows.map((row) => ({
    appointment_id: row.appointment_id,
    patient_id: row.patient_id,
    patient_name: [row.first_name, row.last_name].filter(Boolean).join(' '),
    patient_birth_date: row.birth_date,
    practitioner: row.calendar,
    practitioner_id: row.practitioner_id,
    from_date: stamp(toMinute(row.start_at), row.time_zone),
    waiting_since: row.sat_at.toISOString(),
    is_away: row.silent_seconds > PRESENT_WITHIN_S,
  }));
}

/**
 * Exchanges the video link of an appointment: the old link stops working, and a patient who joined by it is removed.
 * Messages that are still to be sent contain the new link; none is sent because of the exchange.
 *
 * @throws forbidden, not_found; 409 `already_canceled`.
 */
export async function exchangeVisitLink(ctx: Context, { id }: { id: string }): Promise<{ video_call_url: string }> {
  actingStaff(ctx, 'appointments:write');
  const appointment = await loadVisitAppointment(ctx, id);
  const { tenantId } = ctx;
  const after = await ctx.db.$transaction(async (tx) => {
    const exchanged = await exchangeLink(tx, ctx, id);
    if (!exchanged) throw apiError('already_canceled', 'This appointment was canceled.');
    await vacateSeats(tx, ctx, { appointmentId: id }, 'exchanged', 'patient');
    await record(tx, ctx, {
      action: 'visits.exchange_link',
      object: { type: 'Appointment', id },
      patientId: appointment.patientId,
    });
    return exchanged;
  });
  ctx.calls.notify(tenantId, id);
  return { video_call_url: videoUrl(ctx, after.videoToken) };
}

/**
 * Lets the waiting patient into the call. Idempotent.
 *
 * @throws forbidden, not_found; errors of `assertRoomOpen`; 409 `conflict` when the caller does not hold the staff seat,
 * or no patient is waiting.
 */
async function admitPatient(ctx: Context, { id }: { id: string }): Promise<{ admitted: true }> {
  const staffId = actingStaff(ctx, 'visits:host');
  const appointment = await loadVisitAppointment(ctx, id);
  assertRoomOpen(ctx, appointment);
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  await ctx.db.$transaction(async (tx) => {
    await lockCall(tx, ctx, appointment);
    const own = await tx.visitSeat.findFirst({
      where: { tenantId, appointmentId: id, side: 'staff', staffId, leftAt: null },
    });
    if (!own)
      throw apiError('conflict', 'You are not in this visit.', { people: 'Join the visit first, then let them in.' });
    const admitted = await tx.$executeRaw`
      update visit_seats set admitted_at = coalesce(admitted_at, ${now}::timestamptz)
      where tenant_id = ${tenantId}::uuid and appointment_id = ${id}::uuid and side = 'patient' and left_at is null
        and heard_at > clock_timestamp() - ${ABANDONED_AFTER_S}::int * interval '1 second'`;
    if (admitted === 0)
      throw apiError('conflict', 'No patient is waiting.', { people: 'The patient is not there at the moment.' });
    const { count } = await tx.visitCall.updateMany({
      where: { tenantId, appointmentId: id, startedAt: null },
      data: { startedAt: now },
    });
    await record(tx, ctx, {
      action: 'visits.admit',
      object: { type: 'Appointment', id },
      patientId: appointment.patientId,
      ...(count > 0 && { event: 'visit.started', payload: await presentCall(tx, ctx, appointment) }),
    });
  });
  ctx.calls.notify(tenantId, id);
  return { admitted: true };
}

export const visitsRouter = router({
  open: patientData('Appointment')
    .input(OpenVisitInput)
    .query(({ ctx, input }) => openVisit(ctx, input)),
  openTest: patientData('Appointment')
    .input(OpenTestInput)
    .query(({ ctx, input }) => openTest(ctx, input)),
  tryLine: noPatient.input(TryLineInput).mutation(({ ctx, input }) => tryLine(ctx, input)),
  reportTest: patientData('Appointment')
    .input(ReportTestInput)
    .mutation(({ ctx, input }) => reportTest(ctx, input)),
  enter: patientData('Appointment')
    .input(EnterVisitInput)
    .mutation(({ ctx, input }) => enterVisit(ctx, input)),
  enterAsStaff: patientData('Appointment')
    .input(VisitIdInput)
    .mutation(({ ctx, input }) => enterAsStaff(ctx, input)),
  admit: patientData('Appointment')
    .input(VisitIdInput)
    .mutation(({ ctx, input }) => admitPatient(ctx, input)),
  endCall: patientData('Appointment')
    .input(VisitIdInput)
    .mutation(({ ctx, input }) => endCall(ctx, input)),
  newLink: patientData('Appointment', { action: 'visits.exchange_link' })
    .input(VisitIdInput)
    .mutation(({ ctx, input }) => exchangeVisitLink(ctx, input)),
  signLink: patientData('Appointment')
    .input(VisitIdInput)
    .query(({ ctx, input }) => signLink(ctx, input)),
  waiting: patientData('Appointment', { action: 'visits.list_waiting' })
    .input(NoInput.optional())
    .query(({ ctx }) => listWaiting(ctx)),
  showCall: patientData('Appointment', { action: 'appointments.get' })
    .input(VisitIdInput)
    .query(({ ctx, input }) => showCall(ctx, input)),
  attendance: patientData('Appointment', { action: 'appointments.list' })
    .input(AttendanceInput)
    .query(({ ctx, input }) => listAttendance(ctx, input)),
  getCheck: noPatient.input(NoInput.optional()).query(({ ctx }) => getVisitCheck(ctx)),
  setCheck: noPatient.input(SetVisitCheckInput).mutation(({ ctx, input }) => setVisitCheck(ctx, input)),
});
