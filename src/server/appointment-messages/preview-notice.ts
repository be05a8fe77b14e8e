import type { NoticePreview, PreviewNoticeInput } from '#contract/visit-messages.ts';
import { requireStaff } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { isInCare, loadPatientFor } from '#server/patients/index.ts';
import { getAppointment } from '#server/scheduling/index.ts';
import { findRecipient } from './find-recipient.ts';
import { readMessageSettings } from './message-settings.ts';
import { isBookingUnplanned } from './plan-appointment-messages.ts';
import { planMessages, type StoredMessage } from './plan-messages.ts';

const KINDS = { book: 'confirmation', move: 'move', cancel: 'cancellation' } as const;
const TOPICS = { book: 'scheduled', move: 'rescheduled', cancel: 'canceled' } as const;

/**
 * Returns the message that booking, moving or canceling an appointment would send to the patient: plans it as the change
 * itself does, and stores nothing. Staff users only.
 *
 * @throws 404.
 */
export async function previewNotice(ctx: Context, input: PreviewNoticeInput): Promise<NoticePreview> {
  requireStaff(ctx.actor, 'appointments:write');
  const { db, tenantId } = ctx;
  const { action } = input;
  const now = ctx.clock.now();
  const subject = input.action === 'book' ? input : await getAppointment(ctx, { id: input.id });
  const before = 'from_date' in subject ? subject : null;
  const patient = await loadPatientFor(ctx, subject.patient_id);
  ctx.trail.patients.add(patient.id);
  const { settings } = await readMessageSettings(db, tenantId);
  const cause = { topic: TOPICS[action], there: false };
  const stored: StoredMessage[] = before
    ? await db.visitMessage.findMany({ where: { tenantId, appointmentId: before.id } })
    : [];
  const startsAt = before ? new Date(before.from_date) : now;
  // Any other time that is to come stands for the new one, which is not known yet.
  const startAt = action === 'cancel' ? startsAt : new Date(Math.max(now.getTime(), startsAt.getTime()) + DAY);
  const { create } = planMessages({
    appointment: { status: action === 'cancel' ? 'canceled' : 'scheduled', startAt, updatedAt: now },
    ...{ stored, settings, now, cause, inCare: isInCare(patient) },
    timeZone: patient.timeZone ?? 'UTC',
    isBookingUnplanned:
      before !== null &&
      (await isBookingUnplanned(db, { tenantId, appointmentId: before.id, cause, settings, stored })),
  });
  // A cancellation also creates the confirmation that it takes the place of.
  const notice = create.find(({ kind }) => kind === KINDS[action] || (action === 'move' && kind === 'confirmation'));
  const kind = (notice?.kind ?? KINDS[action]) as NoticePreview['kind'];
  const channel = notice?.channel ?? 'email';
  const { to, why } = await findRecipient(db, ctx, { patient, channel, kind });
  const unplanned = notice ? notice.why : startAt <= now ? 'over' : 'overtaken';
  return { patient_id: patient.id, kind, channel, address: to, why: unplanned ?? why };
}
