import type { AppointmentView, RescheduleAppointmentInput } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { isStaff, requireScope } from '#server/core/actor.ts';
import { type Context, storedCallerOf } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { apiError, CarelaneError, OUTCOME_UNKNOWN } from '#server/core/errors.ts';
import { localDay, stamp, toMinute } from '#server/core/zone.ts';
import { getSchedulingAccount, type SchedulingAccount } from '#server/integrations/index.ts';
import { invalidateDays, knownDays } from '#server/mirror/index.ts';
import { lockInCare } from '#server/patients/index.ts';
import {
  type ProviderAppointment,
  SchedulingError,
  type SchedulingProvider,
} from '#server/providers/scheduling-provider.ts';
import {
  claimSlot,
  endPendingChange,
  isPendingMoveTo,
  isQuiet,
  loadAppointment,
  lockAppointment,
  type Overlap,
  type PendingChange,
  parseOverlap,
  pendingChange,
  presentAppointment,
  providerIdOf,
  queueResolve,
} from '../appointments/appointment.ts';
import { NOT_RESCHEDULABLE, RESCHEDULE_AT_PROVIDER } from '../appointments/scheduling-issue.ts';
import { listClaims, slotNotOffered, slotPassed, slotTaken, slotUnavailable } from '../availability/free-slots.ts';
import { findInCatalogue, type Offer } from '../catalogue/catalogue.ts';
import { applyProviderResponse, isOfFormerAccount, syncKnownAppointment } from '../sync/apply-provider-state.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

/**
 * Reschedules an appointment to another offered slot; its id and video link stay. Staff users may also choose another
 * calendar that offers the type. The new slot is claimed in addition to the old one before the provider is called, and the old one is released in the transaction that
 * records the change, so that at least one of them is held at any moment.
 *
 * @throws 403 for a `calendar_id` from others than staff; 404; 422 `not_reschedulable` (canceled, past, or against the provider's rules), `too_late`,
 * `slot_not_offered`, `patient_archived`; 409 `slot_taken` with alternatives; 409 `conflict` while another change of it
 * is in progress or when the patient has another appointment at that time, unless a staff user sets `allow_overlap`;
 * 502, 503, 504 naming the provider.
 */
export async function rescheduleAppointment(ctx: Context, input: RescheduleAppointmentInput): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write');
  const overlap = parseOverlap(ctx, input);
  const row = await loadAppointment(ctx, input.id);
  assertReschedulable(ctx, row);
  const startAt = new Date(input.from_date);
  const target: Target = { calendarId: targetCalendar(ctx, row, input), startAt };
  // A retry of a completed reschedule.
  if (isAt(row, target) && !row.pendingChange) return presentAppointment(ctx, row);
  if (startAt <= ctx.clock.now()) throw slotPassed();
  if (startAt.getTime() % 60_000 !== 0) throw slotNotOffered();

  const account = await getSchedulingAccount(ctx, 'urgent', RESCHEDULE_AT_PROVIDER);
  if (isOfFormerAccount(row, account)) throw apiError('not_reschedulable', NOT_RESCHEDULABLE.former_account);
  const offer = await findOffer(ctx, row, target);
  const { provider } = account;
  await assertSlotOffered(ctx, provider, offer, row, startAt);
  const quiet = await isQuiet(ctx, row);
  const started = await beginReschedule(ctx, row, target, overlap);
  const rescheduled = started && (await sendReschedule(ctx, account, started, target, { ...offer, quiet }));
  if (rescheduled) return presentAppointment(ctx, rescheduled);
  throw await slotTaken(ctx, offer, Math.floor(startAt.getTime() / 60_000));
}

type Target = { calendarId: number; startAt: Date };
const isAt = (row: Appointment, { calendarId, startAt }: Target): boolean =>
  row.calendarId === calendarId && row.startAt.getTime() === startAt.getTime();

/** Only staff users, who can tell the patient who sees them then, may choose another calendar. */
function targetCalendar({ actor }: Context, row: Appointment, { calendar_id }: RescheduleAppointmentInput): number {
  if (calendar_id === undefined || calendar_id === row.calendarId || isStaff(actor))
    return calendar_id ?? row.calendarId;
  throw apiError('forbidden', 'Only staff may move an appointment to another calendar: cancel it and book another.', {
    source: { pointer: '/calendar_id' },
  });
}

function assertReschedulable(ctx: Context, row: Appointment): void {
  if (row.status === 'no_show')
    throw apiError('not_reschedulable', 'The patient did not come to this appointment. Book another one instead.', {
      people: 'The patient did not come to this appointment. Book another one instead.',
    });
  if (row.status !== 'scheduled')
    throw apiError('not_reschedulable', 'A canceled appointment cannot be moved. Book another one instead.', {
      people: 'This appointment is canceled and cannot be moved. Book another one instead.',
    });
  if (row.completedAt)
    throw apiError('not_reschedulable', 'This appointment has taken place. Book another one instead.', {
      people: 'It is noted that this appointment has taken place, so it cannot be moved. Book another one instead.',
    });
  if (row.startAt <= ctx.clock.now())
    throw apiError('not_reschedulable', 'This appointment has begun or is over.', {
      people: 'This appointment has begun or is over, so it cannot be moved. Book another one instead.',
    });
}

async function findOffer(ctx: Context, row: Appointment, { calendarId }: Target): Promise<Offer> {
  try {
    const query = { appointment_type_id: row.appointmentTypeId, calendar_id: calendarId };
    return await findInCatalogue(ctx, query, { turn: 'urgent' });
  } catch (error) {
    const isParameter = error instanceof CarelaneError && error.code === 'invalid_parameter';
    if (!isParameter || calendarId !== row.calendarId) throw error;
    throw apiError('not_reschedulable', NOT_RESCHEDULABLE.not_offered);
  }
}

/**
 * Requires that the new slot is offered as if the appointment did not exist: it may overlap the old slot, which the
 * provider leaves out only when given the appointment's id.
 *
 * @throws 409 `slot_taken` when another local appointment has the slot; 422 `slot_not_offered`.
 */
async function assertSlotOffered(
  ctx: Context,
  provider: SchedulingProvider,
  offer: Offer,
  row: Appointment,
  startAt: Date,
): Promise<void> {
  const { type, calendars } = offer;
  const [calendar] = calendars;
  if (!calendar) throw slotNotOffered();
  const start = toMinute(startAt);
  const day = localDay(start, calendar.timeZone);
  const length = toMinute(row.endAt) - toMinute(row.startAt);
  const [{ days }, claims] = await Promise.all([
    knownDays(ctx, type.id, [{ calendar, days: [day] }], { turn: 'urgent' }),
    listClaims(ctx, [calendar.id], { from: start, until: start + length }),
  ]);
  const others = claims.filter(({ appointmentId }) => appointmentId !== row.id);
  const isListed = days.some(({ startsAt }) => startsAt.includes(start));
  if (others.length > 0 && (isListed || others.some(({ from }) => from === start)))
    throw await slotTaken(ctx, offer, start);
  if (isListed) return;
  const of = { typeId: type.id, calendarId: calendar.id, timeZone: calendar.timeZone };
  const times = await provider.times(day, of, { ignoring: [providerIdOf(row)] });
  if (!times.some((at) => at.getTime() === startAt.getTime())) throw await slotUnavailable(ctx, offer, start);
}

type StartedReschedule = { row: Appointment; isResumed: boolean };

/**
 * Writes the intent to reschedule and claims the new slot in addition to the old one. Null when another appointment
 * holds the new slot. `isResumed`: a change to the same slot is resumed because its outcome is unknown or because this
 * run has taken over its Idempotency-Key.
 */
async function beginReschedule(
  ctx: Context,
  seen: Appointment,
  target: Target,
  overlap: Overlap,
): Promise<StartedReschedule | null> {
  const { calendarId, startAt } = target;
  return ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (row?.status !== 'scheduled') throw apiError('not_reschedulable', 'It was canceled in the meantime.');
    assertReschedulable(ctx, row);
    const open = pendingChange(row);
    const isOwn = ctx.keyed !== null && open?.keyId === ctx.keyed.id;
    if (open && !((open.unknown || isOwn) && isPendingMoveTo(row, target)))
      throw apiError(
        'conflict',
        `Another change of this appointment is under way; try again once ${PROVIDER} has answered.`,
      );
    if (!isAt(row, seen))
      throw apiError('conflict', 'This appointment has just been moved; read it again.', {
        people: 'This appointment has just been moved. Look at it again.',
      });
    if (!open) {
      const endAt = new Date(startAt.getTime() + row.endAt.getTime() - row.startAt.getTime());
      const slot = { appointmentId: row.id, patientId: row.patientId, calendarId, startAt, endAt };
      if (!(await claimSlot(tx, ctx, slot, overlap))) return null;
    }
    await lockInCare(tx, ctx, row.patientId);
    await queueResolve(tx, ctx, row.id);
    const started = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: row.id } },
      data: {
        pendingChange: {
          kind: 'move',
          to: startAt.toISOString(),
          ...(calendarId !== row.calendarId && { calendarId }),
          unknown: false,
          by: storedCallerOf(ctx),
          ...(ctx.keyed && { keyId: ctx.keyed.id }),
        } satisfies PendingChange as Prisma.InputJsonObject,
        version: { increment: 1 },
        updatedAt: ctx.clock.now(),
      },
    });
    return { row: started, isResumed: open !== null };
  });
}

/**
 * Sends a reschedule to the provider; one that was sent before is looked up first. Null when the provider gave the new
 * slot to another client. When nothing was changed only the new claim is dropped; an unknown outcome is looked up once
 * and, if still unknown, keeps both claims.
 */
async function sendReschedule(
  ctx: Context,
  account: SchedulingAccount,
  { row, isResumed }: StartedReschedule,
  target: Target,
  { catalogue, calendars, quiet }: Offer & { quiet: boolean },
): Promise<Appointment | null> {
  const { provider } = account;
  const { calendarId, startAt } = target;
  const timeZone = calendars[0]?.timeZone ?? row.timeZone;
  const providerId = providerIdOf(row);
  const findRescheduled = async (): Promise<ProviderAppointment | null> => {
    const appointment = await provider.appointment(providerId);
    const isThere = appointment?.calendarId === calendarId && appointment.startAt.getTime() === startAt.getTime();
    return isThere ? appointment : null;
  };
  const earlier = isResumed
    ? await findRescheduled().catch(async (error) => {
        throw error instanceof SchedulingError ? await keepPending(ctx, row, error) : error;
      })
    : null;
  let remote: ProviderAppointment;
  try {
    const options = { quiet, ...(calendarId !== row.calendarId && { calendarId }) };
    remote = earlier ?? (await provider.reschedule(providerId, stamp(toMinute(startAt), timeZone), options));
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    if (error.effect === 'none') return handleRejection(ctx, account, row, { ...target, timeZone }, error);
    const rescheduled = await findRescheduled().catch(() => null);
    if (!rescheduled) throw await keepPending(ctx, row, error);
    remote = rescheduled;
  }
  const after = await applyProviderResponse(ctx, account, row, { remote, calendars: catalogue.calendars });
  if (after?.status !== 'scheduled') throw apiError('not_reschedulable', 'It was canceled in the meantime.');
  return after;
}

async function handleRejection(
  ctx: Context,
  account: SchedulingAccount,
  row: Appointment,
  { calendarId, startAt, timeZone }: Target & { timeZone: string },
  error: SchedulingError,
): Promise<null> {
  await endPendingChange(ctx, row, row.status);
  const { reason } = error;
  if (reason === 'not_available' || reason === 'notice_too_short' || reason === 'too_far_ahead')
    await invalidateDays(ctx, [{ calendarId, at: toMinute(startAt), timeZone }]);
  switch (reason) {
    case 'not_available':
      return null;
    case 'notice_too_short':
    case 'too_far_ahead':
      throw slotNotOffered();
    case 'too_late':
      throw apiError('too_late', `It is too late to move this appointment: ${PROVIDER} does not allow it any more.`);
    case 'not_reschedulable':
      throw apiError('not_reschedulable', `${PROVIDER} does not allow this appointment to be moved.`);
    case 'already_canceled':
    case 'not_found':
      await syncKnownAppointment(ctx, account, providerIdOf(row));
      throw apiError('not_reschedulable', `It has been canceled in ${PROVIDER}.`);
    default:
      throw error;
  }
}

async function keepPending(ctx: Context, row: Appointment, error: SchedulingError): Promise<Error> {
  const pendingChange = { ...(row.pendingChange as Prisma.JsonObject), unknown: true };
  await ctx.db.appointment.updateMany({
    where: { tenantId: ctx.tenantId, id: row.id, version: row.version },
    data: { pendingChange, version: { increment: 1 }, updatedAt: ctx.clock.now() },
  });
  return apiError(
    error.code,
    `${PROVIDER} did not say whether it moved the appointment. Both times stay held until that is known: within about two minutes, or soon after ${PROVIDER} can be reached again. It is safe to send the same request again.`,
    {
      people: `We are checking with ${PROVIDER} whether the appointment is moved. Both times are held until then.`,
      meta: OUTCOME_UNKNOWN,
    },
  );
}
