import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { addDays, localDay, toMinute } from '#server/core/zone.ts';
import { LOCATION } from '#server/integrations/location-field.ts';
import { findPatientByEmail } from '#server/patients/load-patient.ts';
import { endIfTooLate } from '#server/patients/queue-end-of-care.ts';
import { type Acuity, type AcuityAppointment, AcuityError } from '#server/providers/acuity.ts';
import {
  holdClaims,
  lockAppointment,
  pendingChange,
  presentAppointment,
  videoUrl,
} from '../appointments/appointment.ts';
import { spoilDays } from '../availability/free-times.ts';
import { type BookableType, type Calendar, getCatalogue } from '../catalogue/catalogue.ts';

/** An appointment that keeps changing under our hands is left to the next look. */
const MAX_ROUNDS = 5;

/**
 * Reads an appointment at Acuity anew and makes ours agree; one that was made in Acuity's console is taken in or
 * reported. Returns our row, or null when there is none. Any number of these at once end in the same state.
 */
export async function syncAppointment(ctx: Context, acuity: Acuity, providerId: number): Promise<Appointment | null> {
  const { types, calendars } = await getCatalogue(ctx);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Ours is read before theirs: the other way round, a change between the two would pass for seen.
    const known = await findByProviderId(ctx, providerId);
    const remote = await acuity.appointment(providerId);
    if (!remote) return known;
    const row = known ?? (await findByLink(ctx, remote));
    const after = row
      ? await reflectRemote(ctx, row, remote, calendars)
      : await adoptAppointment(ctx, remote, calendars);
    if (after === 'unmatched') return null;
    if (after) return writeLocation(ctx, acuity, after, remote, types);
  }
  throw new Error('The appointment changed at each look.');
}

/**
 * What Acuity answered to a call of ours becomes ours too; when the row has changed since it was `seen`, both are read
 * anew.
 */
export const takeAnswer = async (
  ctx: Context,
  acuity: Acuity,
  seen: Appointment,
  { remote, calendars }: { remote: AcuityAppointment; calendars: Calendar[] },
): Promise<Appointment | null> =>
  (await reflectRemote(ctx, seen, remote, calendars)) ?? syncAppointment(ctx, acuity, remote.id);

const findByProviderId = (ctx: Context, providerAppointmentId: number): Promise<Appointment | null> =>
  ctx.db.appointment.findFirst({ where: { tenantId: ctx.tenantId, providerAppointmentId } });

/**
 * A booking of ours whose answer was lost or is on its way: the link in its Location names the row. Its state was not
 * read before Acuity was asked, but it has no provider id yet, so Acuity's answer cannot be older than it.
 */
async function findByLink(ctx: Context, remote: AcuityAppointment): Promise<Appointment | null> {
  const prefix = videoUrl(ctx, '');
  const tokens = remote.answers.flatMap(({ value }) => (value.startsWith(prefix) ? value.slice(prefix.length) : []));
  if (tokens.length === 0) return null;
  const videoToken = { in: tokens };
  return ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, videoToken, providerAppointmentId: null },
  });
}

/**
 * Makes our appointment what Acuity says it is: row, claims, audit entry and event in one transaction. `seen` is the
 * row as it was before Acuity was asked: when it has changed since, Acuity's answer may be the older one, nothing is
 * done and null comes back.
 */
async function reflectRemote(
  ctx: Context,
  seen: Pick<Appointment, 'id' | 'version'>,
  remote: AcuityAppointment,
  calendars: Calendar[],
): Promise<Appointment | null> {
  const change = await ctx.db.$transaction(async (tx) => {
    const before = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (!before || before.version !== seen.version) return null;
    const said = { ...columnsOf(remote, calendars), location: locationOf(remote) ?? before.location };
    const topic = topicOf(before, said);
    // A move that Acuity has made, or that a cancellation has overtaken, waits no more.
    const isSettled = pendingChange(before)?.to === said.startAt.toISOString() || said.status !== 'scheduled';
    if (!topic && !(before.pendingChange && isSettled)) return { before, after: before };
    return { before, after: await write(tx, ctx, before, said, { topic, isSettled }) };
  });
  if (!change) return null;
  if (change.after !== change.before) await spoil(ctx, change.before, change.after);
  return change.after;
}

async function write(
  tx: Tx,
  ctx: Context,
  before: Appointment,
  said: Columns,
  { topic, isSettled }: { topic: Topic | null; isSettled: boolean },
): Promise<Appointment> {
  const now = ctx.clock.now();
  const after = await tx.appointment.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id: before.id } },
    data: {
      ...said,
      canceledAt: said.status === 'scheduled' ? null : (before.canceledAt ?? now),
      ...((isSettled || before.status !== 'scheduled') && { pendingChange: Prisma.DbNull }),
      version: { increment: 1 },
      updatedAt: now,
    },
  });
  await holdClaims(tx, ctx, after);
  if (topic) await tell(tx, ctx, after, topic);
  return after;
}

async function tell(tx: Tx, ctx: Context, row: Appointment, topic: Topic): Promise<void> {
  await record(tx, ctx, {
    action: `appointments.${topic}`,
    object: { type: 'Appointment', id: row.id },
    patientId: row.patientId,
    event: `appointment.${topic}`,
    payload: presentAppointment(ctx, row),
    details: { status: row.status },
    isNews: true,
  });
  if (topic === 'scheduled' || topic === 'rescheduled') await endIfTooLate(tx, ctx, row.patientId);
}

/** What a booking takes off the offer its claim already does; what becomes free must be asked for again. */
async function spoil(ctx: Context, before: Appointment, after: Appointment): Promise<void> {
  const moved = before.startAt.getTime() !== after.startAt.getTime() || before.calendarId !== after.calendarId;
  const freed = before.status === 'scheduled' && after.status !== 'scheduled';
  if (!moved && !freed) return;
  const times = [before, after].map(({ calendarId, startAt, timeZone }) => ({
    calendarId,
    at: toMinute(startAt),
    timeZone,
  }));
  await spoilDays(ctx, moved ? times : times.slice(0, 1));
}

/** Acuity's appointment in our row's terms. */
function columnsOf(remote: AcuityAppointment, calendars: Calendar[]) {
  const calendar = calendars.find(({ id }) => id === remote.calendarId);
  return {
    status: remote.canceled ? (remote.noShow ? 'no_show' : 'canceled') : 'scheduled',
    startAt: remote.startAt,
    endAt: new Date(remote.startAt.getTime() + remote.durationMinutes * MINUTE),
    appointmentTypeId: remote.typeId,
    appointmentType: remote.type,
    calendarId: remote.calendarId,
    calendar: remote.calendar,
    timeZone: remote.timeZone ?? calendar?.timeZone ?? 'UTC',
    practitionerId: calendar?.practitionerId ?? null,
    providerAppointmentId: remote.id,
  };
}

type Columns = ReturnType<typeof columnsOf> & { location: string | null };
type Topic = 'scheduled' | 'rescheduled' | 'canceled' | 'changed';

const WAITING = ['pending', 'failed'];

/** The event that leads from our row to what Acuity says, or null when they agree. A cancellation is never undone. */
function topicOf(row: Appointment, said: Columns): Topic | null {
  if (WAITING.includes(row.status)) return said.status === 'scheduled' ? 'scheduled' : 'canceled';
  if (row.status !== 'scheduled') return row.status === 'canceled' && said.status === 'no_show' ? 'changed' : null;
  if (said.status !== 'scheduled') return said.status === 'canceled' ? 'canceled' : 'changed';
  if (row.startAt.getTime() !== said.startAt.getTime() || row.calendarId !== said.calendarId) return 'rescheduled';
  const agrees =
    row.endAt.getTime() === said.endAt.getTime() &&
    row.appointmentTypeId === said.appointmentTypeId &&
    row.location === said.location;
  return agrees ? null : 'changed';
}

/**
 * Takes in an appointment that was made in Acuity's console, for the patient with exactly its e-mail; any other is
 * reported once as unmatched and attached to nobody. Null when somebody else took it in at the same moment.
 */
async function adoptAppointment(
  ctx: Context,
  remote: AcuityAppointment,
  calendars: Calendar[],
): Promise<Appointment | 'unmatched' | null> {
  if (remote.canceled) return 'unmatched';
  const patient = remote.email === null ? null : await findPatientByEmail(ctx, remote.email);
  const said = columnsOf(remote, calendars);
  const time = { calendarId: said.calendarId, at: toMinute(said.startAt), timeZone: said.timeZone };
  try {
    const row = patient ? await take(ctx, remote, patient.id, calendars) : await report(ctx, remote, said.timeZone);
    await spoilDays(ctx, [time]);
    return row;
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return null;
    throw error;
  }
}

function take(ctx: Context, remote: AcuityAppointment, patientId: string, calendars: Calendar[]): Promise<Appointment> {
  const now = ctx.clock.now();
  const videoToken = newLinkToken(ctx.tenantId);
  return ctx.db.$transaction(async (tx) => {
    const row = await tx.appointment.create({
      data: {
        id: newId(now),
        tenantId: ctx.tenantId,
        patientId,
        ...columnsOf(remote, calendars),
        videoToken,
        location: locationOf(remote) ?? videoUrl(ctx, videoToken),
        createdAt: now,
        updatedAt: now,
      },
    });
    await holdClaims(tx, ctx, row);
    await tell(tx, ctx, row, 'scheduled');
    return row;
  });
}

/** The audit log remembers what was reported; its payload names no person. */
async function report(ctx: Context, remote: AcuityAppointment, timeZone: string): Promise<'unmatched'> {
  const object = { type: 'Acuity appointment', id: String(remote.id) };
  const told = await ctx.db.auditEntry.findFirst({
    where: { tenantId: ctx.tenantId, objectType: object.type, objectId: object.id },
    select: { id: true },
  });
  if (told) return 'unmatched';
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action: 'appointments.unmatched',
      object,
      event: 'appointment.unmatched',
      payload: {
        provider_appointment_id: remote.id,
        appointment_type_id: remote.typeId,
        calendar_id: remote.calendarId,
        from_date: remote.startAt.toISOString(),
        duration_minutes: remote.durationMinutes,
        time_zone: timeZone,
      },
    }),
  );
  return 'unmatched';
}

/** An appointment made in Acuity's console gets its location there too. Acuity's refusal is tried again next time. */
async function writeLocation(
  ctx: Context,
  acuity: Acuity,
  row: Appointment,
  remote: AcuityAppointment,
  types: BookableType[],
): Promise<Appointment> {
  const fieldId = types.find(({ id }) => id === row.appointmentTypeId)?.locationFieldId ?? null;
  if (row.status !== 'scheduled' || fieldId === null || row.location === null || locationOf(remote) !== null)
    return row;
  try {
    await acuity.answer(remote.id, [{ id: fieldId, value: row.location }]);
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    ctx.log.warn({ appointmentId: row.id, err: error.message }, 'the location could not be written at Acuity');
  }
  return row;
}

/** What the Location question of an appointment says, or null. */
const locationOf = (remote: AcuityAppointment): string | null =>
  remote.answers.find(({ form, question }) => form === LOCATION && question === LOCATION)?.value || null;

/**
 * Looks for a booking whose outcome is not known. Acuity has no idempotency key, so the video link, which no other
 * appointment has, tells it. The days to either side cover any zone's reading of "day".
 */
export async function findAtAcuity(
  ctx: Context,
  acuity: Acuity,
  row: Pick<Appointment, 'calendarId' | 'startAt' | 'videoToken'>,
): Promise<AcuityAppointment | null> {
  const day = localDay(toMinute(row.startAt), 'UTC');
  const near = { calendarId: row.calendarId, firstDay: addDays(day, -1), lastDay: addDays(day, 1) };
  const link = videoUrl(ctx, row.videoToken);
  const found = await acuity.appointments(near);
  return found.find(({ answers }) => answers.some(({ value }) => value === link)) ?? null;
}
