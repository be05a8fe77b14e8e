import { type Context, contextFor, inVisitorsCall, type Services } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { closeSoon } from '../close-call.ts';
import { vacate } from '../vacate.ts';
import type { Seated } from './find-seat.ts';

type Asking = { requestId: string; ip: string; userAgent: string | null };

/** Vacates the seat. Idempotent. */
export async function leaveCall(services: Services, seat: Seated, asking: Asking): Promise<void> {
  const { tenantId, appointmentId, id, patientId, side } = seat;
  const ctx = await actingOn(services, seat, asking);
  const left = await ctx.db.$transaction(async (tx) => {
    if ((await vacate(tx, ctx, { id, appointmentId }, 'left')) === 0) return false;
    await record(tx, ctx, {
      action: 'visits.leave',
      object: { type: 'Appointment', id: appointmentId },
      patientId,
      details: { side },
    });
    await closeSoon(tx, ctx, { id: appointmentId });
    return true;
  });
  if (left) services.calls.tell(tenantId, appointmentId);
}

/** Returns the context of the actor that a seat key represents. */
async function actingOn(services: Services, { tenantId, staffId }: Seated, asking: Asking): Promise<Context> {
  const visitor = contextFor(services, { kind: 'visitor', tenantId }, asking);
  const person = staffId && (await visitor.db.staffUser.findFirst({ where: { tenantId, id: staffId } }));
  if (!person) return inVisitorsCall(visitor, 'visit_link');
  const kind = person.role === 'admin' ? 'admin' : 'practitioner';
  return contextFor(services, { kind, tenantId, userId: person.id }, asking);
}
