import type { CalendarAppointment, CalendarPageView, GetCalendarInput, HeldSlot } from '#contract/calendar.ts';
import type { Appointment, Patient } from '#generated/prisma/client.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { videoUrl, videoUrlFor } from '#server/core/video-url.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { findSchedulingAccount } from '#server/integrations/index.ts';
import { type KnownAccount, readKnownAccount } from '../catalogue/catalogue.ts';
import { schedulingIssueOf } from './scheduling-issue.ts';

/** Six weeks, as in a month view, plus an hour for the end of daylight saving time. */
const MAX_RANGE_MS = 43 * DAY;
const WEEK_MS = 7 * DAY;
/** More than a large clinic has in a month. Omitting appointments would make their slots look free. */
const MAX_APPOINTMENTS = 3000;

/**
 * Returns the appointments that start within a range with patient names, soonest first and without canceled ones, and
 * unmatched bookings that hold slots. Staff users only.
 *
 * @throws 422 `range_too_long`, `invalid_parameter`.
 */
export async function showCalendar(ctx: Context, input: GetCalendarInput): Promise<CalendarPageView> {
  requireStaff(ctx.actor, 'appointments:read');
  const { tenantId, db } = ctx;
  const from = input.from_date ? new Date(input.from_date) : ctx.clock.now();
  const until = input.to_date ? new Date(input.to_date) : new Date(from.getTime() + WEEK_MS);
  if (until < from)
    throw apiError('invalid_parameter', '"to_date" must not be before "from_date".', {
      people: 'The last day must not be before the first.',
      source: { parameter: 'to_date' },
    });
  if (until.getTime() - from.getTime() > MAX_RANGE_MS)
    throw apiError('range_too_long', 'At most six weeks can be shown at once.', { source: { parameter: 'to_date' } });
  const startAt = { gte: from, lt: until };
  const accountId = (await findSchedulingAccount(ctx))?.accountId ?? '';
  const [account, rows, held] = await Promise.all([
    readKnownAccount(ctx),
    db.appointment.findMany({
      where: { tenantId, startAt, status: { in: ['scheduled', 'no_show'] } },
      orderBy: [{ startAt: 'asc' }, { id: 'asc' }],
      take: MAX_APPOINTMENTS + 1,
    }),
    db.unmatchedAppointment.findMany({
      where: { tenantId, accountId, startAt, status: 'scheduled' },
      orderBy: { startAt: 'asc' },
      take: MAX_APPOINTMENTS + 1,
    }),
  ]);
  const shown = rows.slice(0, MAX_APPOINTMENTS);
  const [labels, noted] = await Promise.all([
    labelsOf(ctx, [...new Set(shown.map(({ patientId }) => patientId))]),
    findNoted(ctx, shown),
  ]);
  return {
    items: shown.map((row) =>
      present(ctx, row, { patient: labels.get(row.patientId)!, hasNote: noted.has(row.id), account }),
    ),
    held: held.slice(0, MAX_APPOINTMENTS).map(presentHeld),
    more: rows.length > MAX_APPOINTMENTS || held.length > MAX_APPOINTMENTS,
    connection: account.connection,
  };
}

type Named = Pick<Patient, 'firstName' | 'middleName' | 'lastName' | 'email' | 'phoneNumber'>;
type Label = { name: string; birthDate: string | null };

const nameOf = ({ firstName, middleName, lastName, email, phoneNumber }: Named): string =>
  [firstName, middleName, lastName].filter(Boolean).join(' ') || email || phoneNumber || 'No name';

async function labelsOf({ db, tenantId }: Context, patientIds: string[]): Promise<Map<string, Label>> {
  const patients = await db.patient.findMany({
    where: { tenantId, id: { in: patientIds } },
    select: {
      ...{ id: true, firstName: true, middleName: true, lastName: true, email: true, phoneNumber: true },
      birthDate: true,
    },
  });
  return new Map(
    patients.map((patient) => [
      patient.id,
      { name: nameOf(patient), birthDate: patient.birthDate?.toISOString().slice(0, 10) ?? null },
    ]),
  );
}

/** Returns the ids of appointments with a note, for staff who may read notes. */
async function findNoted({ db, tenantId, actor }: Context, rows: Appointment[]): Promise<Set<string>> {
  if (rows.length === 0 || !isStaff(actor) || !actor.permissions.has('notes:read')) return new Set();
  const notes = await db.note.findMany({
    where: { tenantId, appointmentId: { in: rows.map(({ id }) => id) }, body: { not: null } },
    select: { appointmentId: true },
  });
  // The first note of an appointment is in its row.
  const first = rows.flatMap(({ id, staffNote }) => (staffNote === null ? [] : [id]));
  return new Set([...first, ...notes.flatMap(({ appointmentId }) => appointmentId ?? [])]);
}

type Shown = { patient: Label; hasNote: boolean; account: KnownAccount };

function present(ctx: Context, row: Appointment, { patient, hasNote, account }: Shown): CalendarAppointment {
  const from = toMinute(row.startAt);
  const until = toMinute(row.endAt);
  return {
    id: row.id,
    patient_id: row.patientId,
    patient_name: patient.name,
    patient_birth_date: patient.birthDate,
    appointment_type_id: row.appointmentTypeId,
    appointment_type: row.appointmentType,
    calendar_id: row.calendarId,
    calendar: row.calendar,
    practitioner_id: row.practitionerId,
    from_date: stamp(from, row.timeZone),
    to_date: stamp(until, row.timeZone),
    duration_minutes: until - from,
    time_zone: row.timeZone,
    video_call_url: videoUrlFor(ctx, row.id, videoUrl(ctx, row.videoToken)),
    status: row.status as CalendarAppointment['status'],
    checked_in_at: row.checkedInAt?.toISOString() ?? null,
    completed_at: row.completedAt?.toISOString() ?? null,
    canceled_at: row.canceledAt?.toISOString() ?? null,
    scheduling_issue: schedulingIssueOf(row, account, ctx.clock.now()),
    has_note: hasNote,
  };
}

const presentHeld = (row: {
  id: string;
  calendarId: number;
  appointmentType: string;
  startAt: Date;
  endAt: Date;
}): HeldSlot => ({
  id: row.id,
  calendar_id: row.calendarId,
  appointment_type: row.appointmentType,
  from_date: row.startAt.toISOString(),
  to_date: row.endAt.toISOString(),
});
