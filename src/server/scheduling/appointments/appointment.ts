import type { AuditAction } from '#contract/audit-actions.ts';
import type { AppointmentMark, AppointmentPayload, AppointmentView, SchedulingIssue } from '#contract/scheduling.ts';
import type { Appointment, Patient } from '#generated/prisma/client.ts';
import { isStaff } from '#server/core/actor.ts';
import { DAY, MINUTE, SECOND } from '#server/core/clock.ts';
import { asStoredCaller, type Context, type StoredCaller } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { tokenOfLink, videoUrl, videoUrlFor } from '#server/core/video-url.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { endCareIfArchived, mayActFor } from '#server/patients/index.ts';
import type { ProviderAppointment, ProviderClient } from '#server/providers/scheduling-provider.ts';

/** Statuses that the API returns: a booking that is pending or has failed is not an appointment yet. */
export const VISIBLE_STATUSES = ['scheduled', 'canceled', 'no_show'];

/**
 * A change started at the provider and not ended locally; a move `to` an instant has claimed that slot, of another
 * calendar with `calendarId`. `unknown`: the provider was called without a known outcome. `by` requested it, under the Idempotency-Key with the id `keyId`;
 * `endedBy` requested the end, possibly during a move.
 */
export type PendingChange = {
  kind: 'book' | 'cancel' | 'move';
  to?: string;
  calendarId?: number;
  unknown: boolean;
  by?: StoredCaller;
  keyId?: string;
  endedBy?: StoredCaller;
};
export const pendingChange = (row: Pick<Appointment, 'pendingChange'>): PendingChange | null =>
  row.pendingChange as PendingChange | null;

/** True when the row's pending move leads to this slot. */
export function isPendingMoveTo(
  row: MovedRow,
  { calendarId, startAt }: { calendarId: number; startAt: Date },
): boolean {
  const open = pendingChange(row);
  return open?.to === startAt.toISOString() && (open.calendarId ?? row.calendarId) === calendarId;
}
type MovedRow = Pick<Appointment, 'calendarId' | 'pendingChange'>;

/** Returns the context of the recorded author: the caller, even when a webhook or a job reports the change. */
export function contextOfAuthor(
  ctx: Context,
  before: Pick<Appointment, 'status'> & MovedRow,
  state: { status: string; calendarId: number; startAt: Date },
): Context {
  const open = pendingChange(before);
  if (ctx.actor.kind !== 'system' || !open) return ctx;
  const isApplied = before.status === 'pending' || isPendingMoveTo(before, state);
  const author = state.status !== 'scheduled' ? open.endedBy : isApplied ? open.by : undefined;
  return author ? asStoredCaller(ctx, author) : ctx;
}

/** Maximum delay until the outcome of a provider call is looked up, even if this process dies. */
export const RESOLVE_AFTER_MS = 60 * SECOND;

/** Job key of the lookup of an appointment's outcome. */
export const resolveKey = (appointmentId: string): string => `resolve_appointment:${appointmentId}`;

/** Queues the job that resolves the outcome of a provider call. */
export const queueResolve = (tx: Pick<Tx, '$executeRaw'>, ctx: Context, appointmentId: string): Promise<void> =>
  enqueue(
    tx,
    'resolve_appointment',
    { tenantId: ctx.tenantId, appointmentId },
    { runAt: new Date(ctx.clock.now().getTime() + RESOLVE_AFTER_MS), key: resolveKey(appointmentId) },
  );

/** Returns an appointment that the actor may see, or throws `not_found`. */
export async function loadAppointment(ctx: Context, id: string): Promise<Appointment> {
  const row = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, id, status: { in: VISIBLE_STATUSES } },
  });
  if (!row || !mayActFor(ctx.actor, row.patientId)) throw notFound('appointment');
  ctx.trail.patients.add(row.patientId);
  return row;
}

/** True when the provider is to send no email: this service notifies its patients itself, or there is no address. */
export async function isQuiet({ config, db, tenantId }: Context, { patientId }: Appointment): Promise<boolean> {
  if (config.mail !== null) return true;
  const { email } = await db.patient.findFirstOrThrow({ where: { tenantId, id: patientId }, select: { email: true } });
  return email === null;
}

/**
 * Returns the patient as the provider's client. `.invalid` can never receive mail (RFC 2606), and none is sent.
 */
export const clientOf = ({
  id,
  firstName,
  lastName,
  email,
  phoneNumber,
}: Pick<Patient, 'id' | 'firstName' | 'lastName' | 'email' | 'phoneNumber'>): ProviderClient => ({
  firstName: firstName?.trim() || 'Patient',
  lastName: lastName?.trim() || id.slice(-6).toUpperCase(),
  email: email ?? `patient-${id}@example.invalid`,
  phone: phoneNumber,
});

/** Returns the row, locked until the transaction ends. */
export async function lockAppointment(tx: Tx, tenantId: string, id: string): Promise<Appointment | null> {
  await tx.$queryRaw`select 1 from appointments where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
  return tx.appointment.findFirst({ where: { tenantId, id } });
}

/** Returns an appointment that the API shows, locked until the transaction ends. @throws `not_found` */
export async function lockVisibleAppointment(tx: Tx, { tenantId }: Context, id: string): Promise<Appointment> {
  const row = await lockAppointment(tx, tenantId, id);
  if (!row || !VISIBLE_STATUSES.includes(row.status)) throw notFound('appointment');
  return row;
}

/** Returns the id at the provider of a booked appointment; only a pending or failed booking has none. */
export function providerIdOf({ id, providerAppointmentId }: Pick<Appointment, 'id' | 'providerAppointmentId'>): number {
  if (providerAppointmentId === null) throw new Error(`The appointment ${id} has no id at the provider.`);
  return providerAppointmentId;
}

/** Additional data that binds the encrypted reason to its appointment. */
export const reasonBoundTo = (row: Pick<Appointment, 'tenantId' | 'id'>): string =>
  `appointments/${row.tenantId}/${row.id}/cancel_reason`;

/** Returns the reason of a cancellation, also of a pending one; for the patient only if they may read it. */
export function reasonOf({ cipher }: Pick<Context, 'cipher'>, row: Appointment, forPatient: boolean): string | null {
  // Null, as in rows of the previous release, means that the patient may read it.
  if (!row.cancelReason || (forPatient && row.cancelReasonTold === false)) return null;
  return cipher.open(row.cancelReason, reasonBoundTo(row));
}

/** Only read operations know the issue, from the current account and calendars. */
export function presentAppointment(
  ctx: Pick<Context, 'actor' | 'config' | 'cipher'>,
  row: Appointment,
  issue: SchedulingIssue | null = null,
): AppointmentView {
  // An application that acts for the patient gets what the patient gets, as with notes of staff.
  const forPatient = ctx.actor.kind === 'patient';
  const reason = row.status === 'canceled' ? reasonOf(ctx, row, forPatient) : null;
  return Object.assign(withLinkFor(ctx, presentEventPayload(ctx, row)), {
    cancel_reason: reason,
    cancel_reason_told: reason === null ? null : row.cancelReasonTold !== false,
    scheduling_issue: issue,
  });
}

function withLinkFor(ctx: Pick<Context, 'actor' | 'config'>, view: AppointmentPayload): AppointmentPayload {
  const link = view.video_call_url;
  const own = videoUrlFor(ctx, view.id, link);
  return own === link ? view : { ...view, video_call_url: own, location: view.location === link ? own : view.location };
}

/** The representation in events. */
function presentEventPayload(ctx: Pick<Context, 'config'>, row: Appointment): AppointmentPayload {
  const start = stamp(toMinute(row.startAt), row.timeZone);
  const end = stamp(toMinute(row.endAt), row.timeZone);
  return {
    id: row.id,
    patient_id: row.patientId,
    appointment_type_id: row.appointmentTypeId,
    appointment_type: row.appointmentType,
    calendar_id: row.calendarId,
    calendar: row.calendar,
    practitioner_id: row.practitionerId,
    // A calendar has its practitioner's name.
    practitioner_name: row.calendar,
    from_date: start,
    to_date: end,
    start,
    end,
    duration_minutes: toMinute(row.endAt) - toMinute(row.startAt),
    time_zone: row.timeZone,
    // Older rows hold links of another form.
    location: tokenOfLink(row.location, row.tenantId) === row.videoToken ? videoUrl(ctx, row.videoToken) : row.location,
    video_call_url: videoUrl(ctx, row.videoToken),
    status: row.status as AppointmentView['status'],
    checked_in_at: row.checkedInAt?.toISOString() ?? null,
    completed_at: row.completedAt?.toISOString() ?? null,
    canceled_at: row.canceledAt?.toISOString() ?? null,
    canceled_because: row.canceledBecause as AppointmentView['canceled_because'],
    metadata: row.metadata as AppointmentView['metadata'],
    attendees: [{ id: row.patientId, type: 'Patient' }],
    provider_appointment_id: row.providerAppointmentId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/**
 * `allowed`: may overlap another appointment of the same patient, at a staff user's request or because it was booked so
 * in the provider's console.
 */
export type Overlap = 'rejected' | 'allowed';

/**
 * Claims a slot of a calendar and of a patient; false when another appointment of the calendar holds any of it.
 * Exclusion constraints decide; ON CONFLICT DO NOTHING avoids deadlocks under concurrent requests.
 * @throws 409 `conflict` with the id of the patient's own overlapping appointment.
 */
export async function claimSlot(
  tx: Tx,
  ctx: Pick<Context, 'tenantId' | 'clock'>,
  slot: { appointmentId: string; patientId: string; calendarId: number; startAt: Date; endAt: Date },
  overlap: Overlap = 'rejected',
): Promise<boolean> {
  const now = ctx.clock.now();
  const overlapping = await findOverlap(tx, ctx, slot);
  if (overlapping !== null && overlap === 'rejected')
    throw apiError('conflict', 'The patient already has an appointment at this time.', {
      source: { pointer: '/from_date' },
      meta: { appointment_id: overlapping },
    });
  const claims = await tx.slotClaim.createManyAndReturn({
    data: [{ id: newId(now), tenantId: ctx.tenantId, ...slot, overlapOk: overlapping !== null, createdAt: now }],
    skipDuplicates: true,
    select: { id: true },
  });
  return claims.length === 1;
}

/**
 * Returns an overlapping appointment of the patient. Serializes the patient's claims until the end of the transaction,
 * because the constraint ignores those that may overlap.
 */
async function findOverlap(
  tx: Tx,
  { tenantId }: Pick<Context, 'tenantId'>,
  {
    appointmentId,
    patientId,
    startAt,
    endAt,
  }: { appointmentId: string; patientId: string; startAt: Date; endAt: Date },
): Promise<string | null> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`visits:${tenantId}:${patientId}`}, 0))`;
  const overlapping = await tx.slotClaim.findFirst({
    where: {
      tenantId,
      patientId,
      appointmentId: { not: appointmentId },
      startAt: { lt: endAt },
      endAt: { gt: startAt },
    },
    orderBy: { startAt: 'asc' },
    select: { appointmentId: true },
  });
  return overlapping?.appointmentId ?? null;
}

/** Only staff users, who see both appointments, may set `allow_overlap`. */
export function parseOverlap(
  { actor }: Pick<Context, 'actor'>,
  { allow_overlap }: { allow_overlap?: boolean | undefined },
): Overlap {
  if (!allow_overlap) return 'rejected';
  if (isStaff(actor) || actor.kind === 'system') return 'allowed';
  throw apiError('forbidden', 'Only staff may have two appointments of one patient overlap.', {
    source: { pointer: '/allow_overlap' },
  });
}

type Slot = { calendarId: number; startAt: Date; endAt: Date };
const sameSlot = (a: Slot, b: Slot) =>
  a.calendarId === b.calendarId &&
  a.startAt.getTime() === b.startAt.getTime() &&
  a.endAt.getTime() === b.endAt.getTime();

/**
 * Makes the claims match the row: none when it is over or canceled, otherwise its slot and that of a pending move; a
 * no-show keeps its slot until the provider has it. An overlap forced in the provider's console has no claim on the same calendar, but has one for the same patient.
 */
export async function holdClaims(tx: Tx, ctx: Context, row: Appointment): Promise<void> {
  const isLive = (row.status === 'scheduled' || row.noShowDueAt !== null) && row.endAt > ctx.clock.now();
  const wanted: Slot[] = isLive ? [row] : [];
  const { to, calendarId = row.calendarId } = pendingChange(row) ?? {};
  if (isLive && to) {
    const startAt = new Date(to);
    const endAt = new Date(startAt.getTime() + row.endAt.getTime() - row.startAt.getTime());
    wanted.push({ calendarId, startAt, endAt });
  }
  const held = await tx.slotClaim.findMany({ where: { tenantId: ctx.tenantId, appointmentId: row.id } });
  for (const { calendarId, startAt, endAt } of wanted) {
    const slot = { calendarId, startAt, endAt };
    if (held.some((claim) => sameSlot(claim, slot))) continue;
    if (!(await claimSlot(tx, ctx, { appointmentId: row.id, patientId: row.patientId, ...slot }, 'allowed')))
      ctx.log.warn({ appointmentId: row.id }, 'the provider holds overlapping appointments on one calendar');
  }
  const superfluous = held.filter((claim) => !wanted.some((slot) => sameSlot(claim, slot)));
  if (superfluous.length === 0) return;
  await tx.slotClaim.deleteMany({ where: { tenantId: ctx.tenantId, id: { in: superfluous.map(({ id }) => id) } } });
  for (const slot of superfluous) await reassignSlot(tx, ctx, slot);
}

/**
 * Gives a freed slot to an appointment that was booked at the provider while a local booking held the slot. A row
 * locked by another transaction is left to the next comparison.
 */
async function reassignSlot(tx: Tx, ctx: Context, { calendarId, startAt, endAt }: Slot): Promise<void> {
  const now = ctx.clock.now();
  const appointments = await tx.$queryRaw<(Slot & { appointmentId: string; patientId: string })[]>`
    select id as "appointmentId", patient_id as "patientId", calendar_id as "calendarId", start_at as "startAt", end_at as "endAt"
    from appointments a
    where tenant_id = ${ctx.tenantId}::uuid and calendar_id = ${calendarId} and status = 'scheduled'
      and start_at < ${endAt}::timestamptz and end_at > ${startAt}::timestamptz and end_at > ${now}::timestamptz
      and start_at > ${new Date(startAt.getTime() - DAY)}::timestamptz
      and not exists (select from slot_claims c where c.tenant_id = a.tenant_id and c.appointment_id = a.id)
    order by start_at for update skip locked`;
  for (const appointment of appointments) await claimSlot(tx, ctx, appointment, 'allowed');
}

/** Ends a pending change, unless another run has resumed it in the meantime. */
export async function endPendingChange(ctx: Context, seen: Appointment, status: string): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (!row || row.version !== seen.version) return;
    const after = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: row.id } },
      data: {
        status,
        pendingChange: Prisma.DbNull,
        // The cancellation did not happen, so its reason is deleted.
        cancelReason: null,
        cancelReasonTold: null,
        version: { increment: 1 },
        updatedAt: ctx.clock.now(),
      },
    });
    await holdClaims(tx, ctx, after);
  });
}

const ACTIONS: Record<Topic, AuditAction> = {
  scheduled: 'appointments.book',
  rescheduled: 'appointments.reschedule',
  canceled: 'appointments.cancel',
  changed: 'appointments.update',
};

/** Records a change of an appointment as audit entry and event, in the transaction that makes the change. */
export async function recordChange(
  tx: Tx,
  ctx: Context,
  row: Appointment,
  topic: Topic,
  mark?: { mark: AppointmentMark; undone?: true },
): Promise<void> {
  await record(tx, ctx, {
    action: ACTIONS[topic],
    object: { type: 'Appointment', id: row.id },
    patientId: row.patientId,
    event: `appointment.${topic}`,
    payload: presentEventPayload(ctx, row),
    response: presentAppointment(ctx, row),
    details: { status: row.status, ...(row.canceledBecause && { because: row.canceledBecause }), ...mark },
    // Marks are made here; all other changes have happened at the provider.
    ...(!mark && { isNews: true }),
  });
  if (topic === 'scheduled' || topic === 'rescheduled' || mark?.undone) await endCareIfArchived(tx, ctx, row.patientId);
  // `there`: booked or changed at the provider, which sent its own emails.
  const { actor, tenantId } = ctx;
  const there = topic === 'scheduled' ? !row.asked : actor.kind === 'system' && actor.job !== 'end_care';
  await enqueue(tx, 'plan_visit_messages', { tenantId, appointmentId: row.id, topic, there, undoable: isStaff(actor) });
}

/** Topics of appointment events. */
export type Topic = 'scheduled' | 'rescheduled' | 'canceled' | 'changed';
/** The calendar data needed here. */
export type KnownCalendar = { id: number; timeZone: string; practitionerId: string | null };
type PlacedBefore = Pick<Appointment, 'calendarId' | 'calendar' | 'timeZone' | 'practitionerId'>;

/**
 * Maps the provider's appointment to columns of the row. When the calendar is gone there or its practitioner has left,
 * the values of the row stay.
 */
export function columnsOf(remote: ProviderAppointment, calendars: KnownCalendar[], before: PlacedBefore | null = null) {
  const calendar = calendars.find(({ id }) => id === remote.calendarId);
  const unchanged = before?.calendarId === remote.calendarId ? before : null;
  // For a removed calendar the provider returns the account's zone, even while the calendar is still in the catalogue.
  const hasCalendar = calendar !== undefined && remote.calendar !== '';
  const zone = hasCalendar || !unchanged ? (remote.timeZone ?? calendar?.timeZone ?? 'UTC') : unchanged.timeZone;
  return {
    status: remote.canceled ? (remote.noShow ? 'no_show' : 'canceled') : 'scheduled',
    startAt: remote.startAt,
    endAt: new Date(remote.startAt.getTime() + remote.durationMinutes * MINUTE),
    appointmentTypeId: remote.typeId,
    appointmentType: remote.type,
    calendarId: remote.calendarId,
    calendar: remote.calendar || unchanged?.calendar || 'A calendar that is gone',
    timeZone: zone,
    practitionerId: calendar?.practitionerId ?? unchanged?.practitionerId ?? null,
    providerAppointmentId: remote.id,
  };
}
