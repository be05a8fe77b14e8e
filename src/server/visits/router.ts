import { NoInput } from '#contract/patients.ts';
import {
  OpenTestInput,
  ReportTestInput,
  TryLineInput,
  type VisitTestPage,
  type VisitTestResult,
} from '#contract/visit-test.ts';
import {
  AttendanceInput,
  EnterVisitInput,
  OpenVisitInput,
  type SeatOnPage,
  SetVisitCheckInput,
  type VisitCallPageView,
  type VisitCheckView,
  VisitIdInput,
  type WaitingView,
} from '#contract/visits.ts';
import type { VisitSeat } from '#generated/prisma/client.ts';
import { requireAdmin } from '#server/core/actor.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { assertRateLimit, limitKey } from '#server/core/rate-limit.ts';
import { record } from '#server/core/record.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { isOwnRoom, videoUrl } from '#server/core/video-url.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { exchangeLink } from '#server/scheduling/index.ts';
import { lockCall, presentCall } from './call.ts';
import { endCall } from './end-call.ts';
import { enterAsStaff, enterVisit } from './enter-visit.ts';
import { iceServers } from './ice-servers.ts';
import { listAttendance, looksLikeNoShow, readAttendance } from './list-attendance.ts';
import { openVisit } from './open-visit.ts';
import { ABANDONED_AFTER_S, PRESENT_WITHIN_S, vacateSeats } from './seat.ts';
import { signLink } from './sign-link.ts';
import { assertRoomOpen } from './take-seat.ts';
import { actingStaff, loadVisitAppointment, openWindowBounds, windowOf } from './visit.ts';

/** A test takes about half a minute. */
const CREDENTIALS_LAST_MS = 5 * MINUTE;
/** Allows repeated tests while a patient fixes a problem, and limits the issue of relay credentials. */
const TESTS_PER_MINUTE = 10;
const PIECES_PER_MINUTE = 80;

/**
 * Returns the page where a patient tests camera, microphone and connection before the appointment.
 *
 * @throws 404, rate_limited.
 */
export async function openTest(ctx: Context, { token }: { token: string }): Promise<VisitTestPage> {
  const visit = await openVisit(ctx, { token });
  assertRateLimit(ctx, limitKey('visit-test', token), TESTS_PER_MINUTE);
  const now = ctx.clock.now();
  const isTestable = visit.status === 'scheduled' && Date.parse(visit.to_date) > now.getTime();
  return { ...visit, ice_servers: isTestable ? iceServers(ctx, newId(now), CREDENTIALS_LAST_MS) : [] };
}

/**
 * Returns the bytes that were sent, for the page to measure. Reads no appointment.
 *
 * @throws rate_limited.
 */
export async function tryLine(ctx: Context, { token, piece }: TryLineInput): Promise<{ piece: string }> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A line is tried from a link.');
  assertRateLimit(ctx, limitKey('visit-line', token), PIECES_PER_MINUTE);
  return { piece };
}

/**
 * Stores the result of the test for staff users, replacing an earlier one.
 *
 * @throws 404 for an appointment that is over or canceled; rate_limited.
 */
export async function reportTest(ctx: Context, { token, ...result }: ReportTestInput): Promise<void> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A test is reported from its link.');
  assertRateLimit(ctx, limitKey('visit-test-report', token), TESTS_PER_MINUTE);
  const now = ctx.clock.now();
  const test: VisitTestResult = { at: now.toISOString(), ...result };
  await ctx.db.$transaction(async (tx) => {
    // `updatedAt` stays: the appointment itself does not change.
    const [row] = await tx.$queryRaw<{ id: string; patient_id: string }[]>`
      update appointments set video_test = ${JSON.stringify(test)}::jsonb
      where tenant_id = ${ctx.tenantId}::uuid and video_token = ${token} and status = 'scheduled' and end_at > ${now}
      returning id::text, patient_id::text`;
    if (!row) throw notFound('visit');
    await record(tx, ctx, {
      action: 'visits.report_test',
      object: { type: 'Appointment', id: row.id },
      patientId: row.patient_id,
      details: result,
    });
  });
}

/** Returns what the tenant requires of patients in addition to the video link. Admins only. */
async function getVisitCheck(ctx: Context): Promise<VisitCheckView> {
  requireAdmin(ctx.actor);
  const tenant = await ctx.db.tenant.findFirst({ where: { id: ctx.tenantId }, select: { visitCheck: true } });
  if (!tenant) throw notFound('clinic');
  return { check: tenant.visitCheck as VisitCheckView['check'], is_own_room: isOwnRoom(ctx) };
}

/** Sets the requirement, which applies from the next join. Admins only. */
async function setVisitCheck(ctx: Context, { check }: SetVisitCheckInput): Promise<VisitCheckView> {
  requireAdmin(ctx.actor);
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

/** Maximum number of seats returned; more result only from a page that keeps rejoining. */
const MAX_SEATS = 100;

/**
 * Returns an appointment's call for its page in the portal: who joined when, the connection quality, and whether the
 * patient seems to be a no-show. Staff users only.
 *
 * @throws forbidden, not_found.
 */
async function showCall(ctx: Context, { id }: { id: string }): Promise<VisitCallPageView> {
  actingStaff(ctx);
  const appointment = await loadVisitAppointment(ctx, id);
  const { tenantId } = ctx;
  const seats = await ctx.db.visitSeat.findMany({
    where: { tenantId, appointmentId: id },
    orderBy: [{ satAt: 'asc' }, { id: 'asc' }],
    take: MAX_SEATS,
  });
  const people = await ctx.db.staffUser.findMany({
    where: { tenantId, id: { in: seats.flatMap(({ staffId }) => staffId ?? []) } },
    select: { id: true, name: true },
  });
  const now = ctx.clock.now();
  const { opensAt, closesAt } = windowOf(appointment);
  const hasJoined = await readAttendance(ctx.db, ctx, [id]);
  return {
    ...(await presentCall(ctx.db, ctx, appointment)),
    seats: seats.map((seat) => presentSeat(seat, people.find((one) => one.id === seat.staffId)?.name ?? null, now)),
    looks_like_no_show: looksLikeNoShow(
      appointment,
      { patientJoined: hasJoined(id, 'patient'), staffJoined: hasJoined(id, 'staff') },
      now,
    ),
    opens_at: opensAt.toISOString(),
    closes_at: closesAt.toISOString(),
  };
}

/** A seat without a heartbeat for a minute counts as left at its last one. */
function presentSeat(seat: VisitSeat, name: string | null, now: Date): SeatOnPage {
  const isSilent = now.getTime() - seat.heardAt.getTime() > ABANDONED_AFTER_S * SECOND;
  const leftAt = isSilent && (!seat.leftAt || seat.heardAt < seat.leftAt) ? seat.heardAt : seat.leftAt;
  return {
    side: seat.side as SeatOnPage['side'],
    name,
    from: seat.satAt.toISOString(),
    until: leftAt?.toISOString() ?? null,
    devices: seat.devices as SeatOnPage['devices'],
    path: seat.path as SeatOnPage['path'],
    media: seat.media as SeatOnPage['media'],
    quality: seat.quality as SeatOnPage['quality'],
    worst_quality: seat.worstQuality as SeatOnPage['quality'],
  };
}

type Row = {
  appointment_id: string;
  patient_id: string;
  first_name: string | null;
  last_name: string | null;
  calendar: string;
  practitioner_id: string | null;
  start_at: Date;
  time_zone: string;
  sat_at: Date;
  silent_seconds: number;
};

/** Lists the patients who wait to be let in, ordered by appointment start. Staff users only. */
async function listWaiting(ctx: Context): Promise<WaitingView[]> {
  actingStaff(ctx);
  const { tenantId } = ctx;
  const { opens, closes } = openWindowBounds(ctx.clock.now());
  const rows = await ctx.db.$queryRaw<Row[]>`
    select appointment.id::text as appointment_id, appointment.patient_id::text, patient.first_name, patient.last_name,
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
  actingStaff(ctx);
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
  const staffId = actingStaff(ctx);
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
