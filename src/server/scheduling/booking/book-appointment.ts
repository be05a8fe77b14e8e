import { randomInt } from 'node:crypto';
import type { AppointmentView, BookAppointmentInput } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Appointment, Patient } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { requestFingerprint } from '#server/core/duplicate-request.ts';
import { apiError, CarelaneError, OUTCOME_UNKNOWN } from '#server/core/errors.ts';
import { type Minute, stamp, toMinute } from '#server/core/zone.ts';
import { getSchedulingAccount, typeMisconfigured } from '#server/integrations/index.ts';
import { invalidateDays } from '#server/mirror/index.ts';
import { assertInCare, loadPatientFor } from '#server/patients/index.ts';
import { type ProviderAppointment, SchedulingError } from '#server/providers/scheduling-provider.ts';
import {
  clientOf,
  endPendingChange,
  parseOverlap,
  presentAppointment,
  VISIBLE_STATUSES,
} from '../appointments/appointment.ts';
import {
  findOfferingCalendars,
  listClaims,
  slotNotOffered,
  slotPassed,
  slotTaken,
  slotUnavailable,
} from '../availability/free-slots.ts';
import {
  type BookableType,
  type Calendar,
  type Catalogue,
  findBookable,
  invalidateIfOutdated,
  type Offer,
} from '../catalogue/catalogue.ts';
import { applyProviderResponse, findAtProvider, isOfFormerAccount } from '../sync/apply-provider-state.ts';
import {
  beginBooking,
  bookingInProgress,
  bookingIntent,
  findEarlierBooking,
  findSameBooking,
  resumeBooking,
} from './begin-booking.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

/**
 * Books an offered slot for a patient. The claim is committed before the provider is called, so that two callers never
 * get the same slot; the provider decides. Without `calendar_id`, the free calendars are attempted in random order.
 *
 * @throws 404 for another patient; 422 `patient_archived`, `invalid_parameter` (type, calendar), `slot_not_offered`,
 * `integration_misconfigured` (Location form), `integration_not_connected`; 409 `slot_taken` with up to three
 * `meta.alternatives`; 409 `conflict` when the patient has another appointment at that time, unless a staff user sets
 * `allow_overlap`; 502, 503, 504 naming the provider and whether a retry is safe.
 */
export async function bookAppointment(ctx: Context, input: BookAppointmentInput): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write');
  const overlap = parseOverlap(ctx, input);
  const patient = await loadPatientFor(ctx, input.patient_id);
  const at = new Date(input.from_date);
  const start = toMinute(at);
  const fingerprint = requestFingerprint(ctx, 'appointments.book', { ...input, from_date: at.getTime() });
  const request = { input, fingerprint, overlap };
  let offer: Awaited<ReturnType<typeof findBookable>> | null = null;
  const findOffer = async () => {
    assertInCare(patient);
    offer ??= await findBookable(ctx, input);
    return offer;
  };

  /** Resumes a booking that started before this request; null when it failed. */
  const resume = async (earlier: Appointment): Promise<Appointment | null> => {
    const resumed = await resumeBooking(ctx, earlier, overlap);
    if (!resumed) return null;
    if ('pending' in resumed) return placeBooking(ctx, resumed.pending, { ...(await findOffer()), patient });
    ctx.onReplay();
    return resumed.done;
  };

  const bookNew = async (): Promise<Appointment> => {
    const bookable = await findOffer();
    if (at.getTime() % 60_000 !== 0) throw slotNotOffered();
    const { accountId } = await getSchedulingAccount(ctx);
    for (const calendar of shuffle(await offeredCalendars(ctx, bookable, start))) {
      const intent = await beginBooking(ctx, request, { type: bookable.type, calendar, start, accountId });
      if (!intent) continue;
      const booked =
        'same' in intent
          ? await resume(intent.same)
          : await placeBooking(ctx, intent.created, { ...bookable, patient });
      if (booked) return booked;
    }
    throw await slotTaken(ctx, bookable, start);
  };

  const earlier = await findEarlierBooking(ctx, input, { fingerprint, start });
  const existing = earlier && (await resume(earlier));
  if (existing) return presentAppointment(ctx, existing);
  try {
    return presentAppointment(ctx, await bookNew());
  } catch (error) {
    // An equal request may have taken the slot a moment ago.
    const isTaken = error instanceof CarelaneError && error.code === 'slot_taken';
    const same = isTaken && !ctx.keyed ? await findSameBooking(ctx.db, ctx, fingerprint) : null;
    const booked = same && (await resume(same));
    if (!booked) throw error;
    return presentAppointment(ctx, booked);
  }
}

const RECHECK_MAX_AGE_MS = 2_000;

/**
 * Returns the calendars that offer exactly this start and that no local claim holds. Queries the provider again when
 * the stored availability does not offer it.
 *
 * @throws 409 `slot_taken` when a local appointment or one made at the provider has the slot; 422 `slot_not_offered`
 * when no calendar offers it.
 */
async function offeredCalendars(ctx: Context, offer: Offer, start: Minute): Promise<Calendar[]> {
  const { type, calendars } = offer;
  if (start * 60_000 <= ctx.clock.now().getTime()) throw slotPassed();
  const ids = calendars.map(({ id }) => id);
  for (const maxAgeMs of [ctx.config.scheduling.renewMs, RECHECK_MAX_AGE_MS]) {
    const offering = await findOfferingCalendars(ctx, offer, start, maxAgeMs);
    const claims = await listClaims(ctx, ids, { from: start, until: start + type.durationMinutes });
    const claimOf = ({ id }: Calendar) => claims.find(({ calendarId }) => calendarId === id);
    const free = offering.filter((calendar) => !claimOf(calendar));
    if (free.length > 0) return free;
    // Once the provider has the winning booking it no longer offers the slot; the claim still shows that this caller
    // lost a race.
    if (offering.length > 0 || claims.some(({ from }) => from === start)) throw await slotTaken(ctx, offer, start);
  }
  throw await slotUnavailable(ctx, offer, start);
}

/** Returns the items in a uniformly random order (Fisher–Yates shuffle). */
export function shuffle<T>(items: T[], below: (bound: number) => number = randomInt): T[] {
  const drawn = [...items];
  for (let last = drawn.length - 1; last > 0; last -= 1) {
    const pick = below(last + 1);
    [drawn[last], drawn[pick]] = [drawn[pick]!, drawn[last]!];
  }
  return drawn;
}

type Placement = { catalogue: Catalogue; type: BookableType; fieldId: number; patient: Patient };

/**
 * Sends a pending booking to the provider. A booking that was sent before is looked up first; if that call is still in
 * flight, the provider gives a slot only once, so the second call finds the first one's booking.
 *
 * @returns null when the provider gave the slot to another client; the claim is then released.
 * @throws 502, 503 or 504 when the outcome is unknown even after a lookup; the booking stays pending with its claim,
 * and a retry is safe.
 */
async function placeBooking(ctx: Context, row: Appointment, placement: Placement): Promise<Appointment | null> {
  const account = await getSchedulingAccount(ctx);
  const { provider } = account;
  // The booking started at an account that has since been replaced by another.
  if (isOfFormerAccount(row, account)) {
    await endPendingChange(ctx, row, 'failed');
    return null;
  }
  const wasSent = row.version > 0;
  const earlier = wasSent ? await lookUp(ctx, provider, row) : null;
  if (earlier instanceof SchedulingError) return keepPending(ctx, row, earlier);
  let remote: ProviderAppointment;
  try {
    remote = earlier ?? (await provider.book(bookingInput(ctx, row, placement)));
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    // When the provider rejects the second call (taken, too short notice), the first call may still have booked the
    // slot.
    const isUnsure = error.effect === 'unknown' || wasSent;
    const earlierCall = isUnsure ? await lookUp(ctx, provider, row) : null;
    if (earlierCall instanceof SchedulingError)
      return keepPending(ctx, row, error.effect === 'unknown' ? error : earlierCall);
    if (!earlierCall && error.effect === 'unknown') return keepPending(ctx, row, error);
    if (!earlierCall) return release(ctx, row, placement, error);
    remote = earlierCall;
  }
  return applyProviderResponse(ctx, account, row, { remote, calendars: placement.catalogue.calendars });
}

function bookingInput({ config }: Context, row: Appointment, { type, fieldId, patient }: Placement) {
  return {
    startAt: stamp(toMinute(row.startAt), row.timeZone),
    typeId: type.id,
    calendarId: row.calendarId,
    ...clientOf(patient),
    timeZone: patient.timeZone ?? row.timeZone,
    location: { fieldId, value: row.location ?? '' },
    // The provider sends no email to patients that this service notifies.
    quiet: patient.email === null || config.mail !== null,
  };
}

async function lookUp(ctx: Context, provider: Parameters<typeof findAtProvider>[1], row: Appointment) {
  try {
    return await findAtProvider(ctx, provider, row);
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    return error;
  }
}

async function keepPending(ctx: Context, row: Appointment, error: SchedulingError): Promise<Appointment> {
  const { count } = await ctx.db.appointment.updateMany({
    where: { tenantId: ctx.tenantId, id: row.id, version: row.version },
    data: {
      pendingChange: bookingIntent(ctx, { unknown: true }),
      version: { increment: 1 },
      updatedAt: ctx.clock.now(),
    },
  });
  // The provider's webhook arrived before its response.
  const now = count === 0 ? await reload(ctx, row) : null;
  if (now && VISIBLE_STATUSES.includes(now.status)) return now;
  throw apiError(
    error.code,
    `${PROVIDER} did not say whether it booked this time, which stays held until that is known: within about two minutes, or soon after ${PROVIDER} can be reached again. Send the same request with the same Idempotency-Key again to learn the outcome: it cannot book twice.`,
    {
      people: `We are checking with ${PROVIDER} whether the appointment is booked. The time is held until then.`,
      meta: OUTCOME_UNKNOWN,
    },
  );
}

const reload = ({ db, tenantId }: Context, { id }: Appointment) =>
  db.appointment.findFirst({ where: { tenantId, id } });

/**
 * Undoes a booking that the provider did not make, unless another run of the request has resumed it: then its result
 * counts.
 */
async function release(
  ctx: Context,
  row: Appointment,
  { type }: Placement,
  error: SchedulingError,
): Promise<Appointment | null> {
  const unchanged = { tenantId: ctx.tenantId, id: row.id, version: row.version };
  const { count } = await ctx.db.appointment.deleteMany({ where: { ...unchanged, status: 'pending' } });
  const now = count === 0 ? await reload(ctx, row) : null;
  if (now?.status === 'pending') throw bookingInProgress();
  if (now && VISIBLE_STATUSES.includes(now.status)) return now;
  const { reason } = error;
  const isOutOfBounds = reason === 'notice_too_short' || reason === 'too_far_ahead';
  if (reason === 'not_available' || isOutOfBounds)
    await invalidateDays(ctx, [{ calendarId: row.calendarId, at: toMinute(row.startAt), timeZone: row.timeZone }]);
  if (reason === 'not_available') return null;
  if (isOutOfBounds || (await invalidateIfOutdated(ctx, error))) throw slotNotOffered();
  throw reason === 'fields_required' ? await typeMisconfigured(ctx, type, error) : error;
}
