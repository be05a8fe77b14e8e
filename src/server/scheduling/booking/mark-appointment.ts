import { EARLY_MINUTES, UNDO_MARK_MINUTES } from '#contract/limits.ts';
import type { AppointmentMark, AppointmentView, UnmarkAppointmentInput } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma, Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { dequeue, enqueue } from '#server/core/jobs.ts';
import { localDay, toMinute } from '#server/core/zone.ts';
import {
  holdClaims,
  loadAppointment,
  lockVisibleAppointment,
  presentAppointment,
  recordChange,
} from '../appointments/appointment.ts';
import { noShowKey, queueNoShow } from './send-no-show.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;
const UNDO_MS = UNDO_MARK_MINUTES * MINUTE;
const EARLY_MS = EARLY_MINUTES * MINUTE;

/**
 * Notes that the patient has checked in. Idempotent.
 *
 * @throws 404; 422 `too_early` before the day of the appointment, `too_late` after it (in the calendar's zone); 409
 * `already_canceled`; 409 `conflict` for a no-show, a completed one, and while another change is under way.
 */
export const checkInAppointment = (ctx: Context, { id }: { id: string }): Promise<AppointmentView> =>
  change(ctx, id, { mark: 'checked_in' }, (row) => {
    if (row.checkedInAt) return null;
    assertBooked(row);
    assertNotCompleted(row);
    const now = ctx.clock.now();
    const dayOf = (instant: Date) => localDay(toMinute(instant), row.timeZone);
    if (dayOf(now) < dayOf(row.startAt))
      throw refusal('too_early', 'This appointment is on another day. The patient checks in on that day.');
    if (dayOf(now) > dayOf(row.endAt))
      throw refusal('too_late', 'The day of this appointment is over, so it is too late to check in.');
    return { checkedInAt: now };
  });

/**
 * Marks an appointment as completed; its status stays `scheduled`. Idempotent.
 *
 * @throws 404; 422 `too_early` before the start, or 15 minutes before it when the patient has checked in; 409
 * `already_canceled`; 409 `conflict` for a no-show and while another change is under way.
 */
export const completeAppointment = (ctx: Context, { id }: { id: string }): Promise<AppointmentView> =>
  change(ctx, id, { mark: 'completed' }, (row) => {
    if (row.completedAt) return null;
    assertBooked(row);
    const now = ctx.clock.now();
    if (row.startAt > now && !row.checkedInAt)
      throw refusal('too_early', 'This appointment has not begun yet, and the patient has not checked in.');
    if (row.startAt.getTime() - EARLY_MS > now.getTime())
      throw refusal(
        'too_early',
        `This appointment has not begun yet. You can note that it took place from ${EARLY_MINUTES} minutes before the start.`,
      );
    return { completedAt: now };
  });

/**
 * Marks that the patient did not come. Idempotent. The provider gets it from a job once it cannot be undone here any
 * more, because there it is a cancellation that cannot be undone. A patient who checked in and left may be marked, too.
 *
 * @throws 404; 422 `too_early` before the start; 409 `already_canceled`; 409 `conflict` for a completed one and while
 * another change is under way.
 */
export const markNoShow = (ctx: Context, { id }: { id: string }): Promise<AppointmentView> =>
  change(
    ctx,
    id,
    { mark: 'no_show' },
    (row) => {
      if (row.status === 'no_show') return null;
      assertBooked(row);
      assertNotCompleted(row);
      const now = ctx.clock.now();
      if (row.startAt > now)
        throw refusal('too_early', 'This appointment has not begun yet, so the patient can still come.');
      return { status: 'no_show', canceledAt: now, noShowDueAt: new Date(now.getTime() + UNDO_MS) };
    },
    queueNoShow,
  );

/**
 * Undoes a check-in, a completion or a no-show within ten minutes. Idempotent: without the mark, nothing changes.
 *
 * @throws 404; 422 `too_late` after ten minutes and for a no-show that the provider has; 409 `conflict` while another
 * change is under way.
 */
export const unmarkAppointment = (ctx: Context, { id, mark }: UnmarkAppointmentInput): Promise<AppointmentView> =>
  change(
    ctx,
    id,
    { mark, undone: true },
    (row) => {
      const now = ctx.clock.now();
      if (mark === 'no_show') {
        if (row.status !== 'no_show') return null;
        if (!row.noShowDueAt || row.noShowDueAt <= now)
          throw refusal(
            'too_late',
            `${PROVIDER} already has the report that the patient did not come, which cannot be undone.`,
          );
        return { status: 'scheduled', canceledAt: null, noShowDueAt: null };
      }
      const markedAt = mark === 'checked_in' ? row.checkedInAt : row.completedAt;
      if (!markedAt) return null;
      if (now.getTime() - markedAt.getTime() > UNDO_MS)
        throw refusal('too_late', `This can be undone for ${UNDO_MARK_MINUTES} minutes only.`);
      return mark === 'checked_in' ? { checkedInAt: null } : { completedAt: null };
    },
    async (tx, _ctx, row) => {
      if (mark !== 'no_show') return;
      await dequeue(tx, noShowKey(row.id));
      // The provider may have ended it in these minutes.
      const { accountId, providerAppointmentId } = row;
      if (accountId && providerAppointmentId)
        await enqueue(tx, 'refresh_appointment', { tenantId: ctx.tenantId, accountId, providerAppointmentId });
    },
  );

type Decide = (row: Appointment) => Prisma.AppointmentUpdateInput | null;
type Follow = (tx: Tx, ctx: Context, row: Appointment) => Promise<void>;

/** Writes what `decide` returns for the locked row, with event and audit entry; null writes nothing. */
async function change(
  ctx: Context,
  id: string,
  details: { mark: AppointmentMark; undone?: true },
  decide: Decide,
  follow?: Follow,
): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write', { patients: false });
  ctx.trail.details = details;
  await loadAppointment(ctx, id);
  const after = await ctx.db.$transaction(async (tx) => {
    const row = await lockVisibleAppointment(tx, ctx, id);
    const data = decide(row);
    if (!data) return row;
    if (row.pendingChange)
      throw apiError(
        'conflict',
        `Another change of this appointment is under way; try again once ${PROVIDER} has answered.`,
      );
    const changed = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      data: { ...data, version: { increment: 1 }, updatedAt: ctx.clock.now() },
    });
    await holdClaims(tx, ctx, changed);
    await recordChange(tx, ctx, changed, 'changed', details);
    await follow?.(tx, ctx, changed);
    return changed;
  });
  return presentAppointment(ctx, after);
}

function assertBooked({ status }: Appointment): void {
  if (status === 'canceled')
    throw refusal('already_canceled', 'This appointment was canceled, so the patient was not expected to come.');
  if (status === 'no_show') throw refusal('conflict', 'It is noted that the patient did not come. Undo that first.');
}

function assertNotCompleted({ completedAt }: Appointment): void {
  if (completedAt) throw refusal('conflict', 'It is noted that this appointment has taken place. Undo that first.');
}

const refusal = (code: 'too_early' | 'too_late' | 'already_canceled' | 'conflict', message: string): Error =>
  apiError(code, message, { people: message });
