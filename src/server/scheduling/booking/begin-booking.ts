import { setTimeout as pause } from 'node:timers/promises';
import type { BookAppointmentInput } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import { type Context, storedCallerOf } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { duplicatesSince, lockRequest } from '#server/core/duplicate-request.ts';
import { apiError, OUTCOME_UNKNOWN } from '#server/core/errors.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { videoUrl } from '#server/core/video-url.ts';
import { fromMinute, type Minute } from '#server/core/zone.ts';
import { lockInCare } from '#server/patients/index.ts';
import {
  claimSlot,
  lockAppointment,
  type Overlap,
  type PendingChange,
  pendingChange,
  queueResolve,
  RESOLVE_AFTER_MS,
  VISIBLE_STATUSES,
} from '../appointments/appointment.ts';
import type { BookableType, Calendar } from '../catalogue/catalogue.ts';

/** Returns the newest pending or scheduled booking that an equal, recent request made, or null. */
export const findSameBooking = (
  db: Pick<Tx, 'appointment'>,
  ctx: Pick<Context, 'tenantId' | 'clock'>,
  fingerprint: string,
): Promise<Appointment | null> =>
  db.appointment.findFirst({
    where: {
      tenantId: ctx.tenantId,
      asked: fingerprint,
      status: { in: ['pending', 'scheduled'] },
      createdAt: { gte: duplicatesSince(ctx) },
    },
    orderBy: { createdAt: 'desc' },
  });

const BOOKING_NOW = 'This appointment is being booked right now.';

/** Builds the `conflict` error for a booking that another run of the same request is processing. */
export const bookingInProgress = () =>
  apiError('conflict', 'This booking is being made right now; send the request again in a few seconds.', {
    people: BOOKING_NOW,
    meta: OUTCOME_UNKNOWN,
  });

/** The `pendingChange` of a booking by this caller; `unknown`: the provider was called without a known outcome. */
export const bookingIntent = (ctx: Context, { unknown }: { unknown: boolean }) =>
  ({ kind: 'book', unknown, by: storedCallerOf(ctx) }) satisfies PendingChange as Prisma.InputJsonObject;

class SlotLost extends Error {}

type BookingRequest = {
  input: BookAppointmentInput;
  /** Key of the caller and the request body (`requestFingerprint`), which identifies equal requests. */
  fingerprint: string;
  overlap: Overlap;
};

/**
 * Writes the intent before the provider is called: a pending appointment, its claim, and a job that resolves an unknown
 * outcome.
 *
 * @returns null when another appointment holds the slot; `same` when an equal request without an Idempotency-Key came
 * first.
 * @throws `conflict` when a booking with the same Idempotency-Key is in progress.
 */
export async function beginBooking(
  ctx: Context,
  { input, fingerprint, overlap }: BookingRequest,
  { type, calendar, start, accountId }: { type: BookableType; calendar: Calendar; start: Minute; accountId: string },
): Promise<{ created: Appointment } | { same: Appointment } | null> {
  const now = ctx.clock.now();
  const id = newId(now);
  const videoToken = newLinkToken(ctx.tenantId);
  const { patient_id: patientId } = input;
  const slot = { calendarId: calendar.id, startAt: fromMinute(start), endAt: fromMinute(start + type.durationMinutes) };
  try {
    return await ctx.db.$transaction(async (tx) => {
      if (!ctx.keyed) {
        await lockRequest(tx, ctx, fingerprint);
        const same = await findSameBooking(tx, ctx, fingerprint);
        if (same) return { same };
      }
      const created = await tx.appointment.create({
        data: {
          id,
          tenantId: ctx.tenantId,
          accountId,
          patientId,
          appointmentTypeId: type.id,
          appointmentType: type.name,
          ...slot,
          calendar: calendar.name,
          practitionerId: calendar.practitionerId,
          timeZone: calendar.timeZone,
          videoToken,
          location: videoUrl(ctx, videoToken),
          status: 'pending',
          pendingChange: bookingIntent(ctx, { unknown: false }),
          requestKey: ctx.keyed?.id ?? null,
          asked: fingerprint,
          metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
          createdAt: now,
          updatedAt: now,
        },
      });
      if (!(await claimSlot(tx, ctx, { appointmentId: id, patientId, ...slot }, overlap))) throw new SlotLost();
      await lockInCare(tx, ctx, patientId);
      await queueResolve(tx, ctx, id);
      return { created };
    });
  } catch (error) {
    if (error instanceof SlotLost) return null;
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw apiError('conflict', 'A booking with this Idempotency-Key is being made right now.', {
        people: BOOKING_NOW,
        meta: OUTCOME_UNKNOWN,
      });
    throw error;
  }
}

/** Maximum time that an equal request waits for the first one to finish. */
const MAX_WAIT_MS = 20 * SECOND;
const POLL_INTERVAL_MS = 100;

/**
 * Returns the booking that this request retries: the one made with the same Idempotency-Key or, without a key, by a
 * recent equal request, or the same patient's booking of the same slot whose outcome is unknown.
 *
 * @throws `idempotency_key_reused` when the key belongs to another request.
 */
export async function findEarlierBooking(
  ctx: Context,
  input: BookAppointmentInput,
  { fingerprint, start }: { fingerprint: string; start: Minute },
): Promise<Appointment | null> {
  const { tenantId } = ctx;
  if (ctx.keyed) {
    const earlier = await ctx.db.appointment.findFirst({ where: { tenantId, requestKey: ctx.keyed.id } });
    if (earlier && earlier.asked !== fingerprint)
      throw apiError('idempotency_key_reused', 'This Idempotency-Key was used with another request.', {
        source: { parameter: 'Idempotency-Key' },
      });
    return earlier;
  }
  const same = await findSameBooking(ctx.db, ctx, fingerprint);
  if (same) return same;
  const open = await ctx.db.appointment.findFirst({
    where: {
      tenantId,
      patientId: input.patient_id,
      startAt: fromMinute(start),
      status: 'pending',
      appointmentTypeId: input.appointment_type_id,
      ...(input.calendar_id !== undefined && { calendarId: input.calendar_id }),
    },
  });
  return open && isAbandoned(ctx, open) ? open : null;
}

/**
 * True when no request is processing the booking: its outcome was marked unknown, its process died, or this run has
 * taken over the Idempotency-Key under which it started.
 */
const isAbandoned = (ctx: Context, row: Appointment): boolean =>
  pendingChange(row)?.unknown === true ||
  (ctx.keyed !== null && row.requestKey === ctx.keyed.id) ||
  ctx.clock.now().getTime() - row.updatedAt.getTime() > RESOLVE_AFTER_MS;

/**
 * Resumes an earlier booking with its id, video link and claim.
 *
 * @returns `done` when the booking exists already; null when it failed and its slot is taken, so that the request
 * counts as new.
 * @throws `conflict` when another run is still processing the booking.
 */
export async function resumeBooking(
  ctx: Context,
  earlier: Appointment,
  overlap: Overlap,
): Promise<{ done: Appointment } | { pending: Appointment } | null> {
  await waitUntilSettled(ctx, earlier);
  return ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, earlier.id);
    if (!row) return null;
    if (VISIBLE_STATUSES.includes(row.status)) return ctx.keyed || row.status === 'scheduled' ? { done: row } : null;
    if (row.status === 'pending' && !isAbandoned(ctx, row)) throw bookingInProgress();
    if (row.status !== 'pending' && !ctx.keyed) return null;
    const where = { tenantId_id: { tenantId: ctx.tenantId, id: row.id } };
    const { patientId, calendarId, startAt, endAt } = row;
    const slot = { appointmentId: row.id, patientId, calendarId, startAt, endAt };
    const isHeld = row.status === 'pending' || (await claimSlot(tx, ctx, slot, overlap));
    if (!isHeld) {
      await tx.appointment.update({ where, data: { requestKey: null } });
      return null;
    }
    await lockInCare(tx, ctx, row.patientId);
    await queueResolve(tx, ctx, row.id);
    const pending = await tx.appointment.update({
      where,
      data: {
        status: 'pending',
        pendingChange: bookingIntent(ctx, { unknown: false }),
        version: { increment: 1 },
        updatedAt: ctx.clock.now(),
      },
    });
    return { pending };
  });
}

/** Waits until no request is processing the booking, at most `MAX_WAIT_MS`. */
async function waitUntilSettled(ctx: Context, { id }: Appointment): Promise<void> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += POLL_INTERVAL_MS) {
    const row = await ctx.db.appointment.findFirst({ where: { tenantId: ctx.tenantId, id } });
    if (row?.status !== 'pending' || isAbandoned(ctx, row)) return;
    await pause(POLL_INTERVAL_MS);
  }
}
