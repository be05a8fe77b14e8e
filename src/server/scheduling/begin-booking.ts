import type { BookAppointmentInput } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { OUTCOME_UNKNOWN, refuse } from '#server/core/errors.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { lockRequest, sameSince } from '#server/core/same-request.ts';
import { fromMinute, type Minute } from '#server/core/zone.ts';
import { holdInCare } from '#server/patients/assert-in-care.ts';
import { videoUrl } from './appointment-row.ts';
import type { BookableType, Calendar } from './catalogue.ts';
import { claimSlot, type Overlap } from './slot-claims.ts';

/** When the outcome of a call to Acuity is looked up at the latest, even if this process dies now. */
export const RESOLVE_AFTER_MS = 60 * SECOND;

export const BOOKING_NOW = 'This visit is being booked right now.';

/** Sees to it that somebody finds out what Acuity did. */
export const resolveLater = (tx: Pick<Tx, '$executeRaw'>, ctx: Context, appointmentId: string): Promise<void> =>
  enqueue(
    tx,
    'resolve_appointment',
    { tenantId: ctx.tenantId, appointmentId },
    { runAt: new Date(ctx.clock.now().getTime() + RESOLVE_AFTER_MS), key: `resolve_appointment:${appointmentId}` },
  );

/** What an equal request of a moment ago has booked or is booking, unless that is canceled or came to nothing. */
export const findSame = (
  db: Pick<Tx, 'appointment'>,
  ctx: Pick<Context, 'tenantId' | 'clock'>,
  asked: string,
): Promise<Appointment | null> =>
  db.appointment.findFirst({
    where: {
      tenantId: ctx.tenantId,
      asked,
      status: { in: ['pending', 'scheduled'] },
      createdAt: { gte: sameSince(ctx) },
    },
    orderBy: { createdAt: 'desc' },
  });

class SlotLost extends Error {}

type Wish = {
  input: BookAppointmentInput;
  /** Who asks for what. */
  asked: string;
  overlap: Overlap;
};

/**
 * The intent: a pending appointment, its claim, and a job that looks the outcome up. Committed before Acuity is called.
 * Null when another appointment holds the time. `same`: an equal request without a key was first.
 */
export async function beginBooking(
  ctx: Context,
  { input, asked, overlap }: Wish,
  { type, calendar, start }: { type: BookableType; calendar: Calendar; start: Minute },
): Promise<{ begun: Appointment } | { same: Appointment } | null> {
  const now = ctx.clock.now();
  const id = newId(now);
  const videoToken = newLinkToken(ctx.tenantId);
  const { patient_id: patientId } = input;
  const slot = { calendarId: calendar.id, startAt: fromMinute(start), endAt: fromMinute(start + type.durationMinutes) };
  try {
    return await ctx.db.$transaction(async (tx) => {
      if (!ctx.keyed) {
        await lockRequest(tx, ctx, asked);
        const same = await findSame(tx, ctx, asked);
        if (same) return { same };
      }
      const begun = await tx.appointment.create({
        data: {
          id,
          tenantId: ctx.tenantId,
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
          requestKey: ctx.keyed?.id ?? null,
          asked,
          metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
          createdAt: now,
          updatedAt: now,
        },
      });
      if (!(await claimSlot(tx, ctx, { appointmentId: id, patientId, ...slot }, overlap))) throw new SlotLost();
      await holdInCare(tx, ctx, patientId);
      await resolveLater(tx, ctx, id);
      return { begun };
    });
  } catch (error) {
    if (error instanceof SlotLost) return null;
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw refuse('conflict', 'A booking with this Idempotency-Key is being made right now.', {
        people: BOOKING_NOW,
        meta: OUTCOME_UNKNOWN,
      });
    throw error;
  }
}
