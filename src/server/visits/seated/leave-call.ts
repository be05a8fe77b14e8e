import type { Role } from '#contract/roles.ts';
import { actorOfStaff } from '#server/core/actor.ts';
import { asServiceForVisitor, type Context, contextFor, type Services } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { closeSoon } from '../close-call.ts';
import { vacateSeats } from '../seat.ts';
import type { SeatHolder } from './find-seat.ts';

type RequestInfo = { requestId: string; ip: string; userAgent: string | null };

/** Vacates the seat. Idempotent. */
export async function leaveCall(services: Services, seat: SeatHolder, request: RequestInfo): Promise<void> {
  const { tenantId, appointmentId, id, patientId, side } = seat;
  const ctx = await actingContext(services, seat, request);
  const left = await ctx.db.$transaction(async (tx) => {
    if ((await vacateSeats(tx, ctx, { id, appointmentId }, 'left')) === 0) return false;
    await record(tx, ctx, {
      action: 'visits.leave',
      object: { type: 'Appointment', id: appointmentId },
      patientId,
      details: { side },
    });
    await closeSoon(tx, ctx, { id: appointmentId });
    return true;
  });
  if (left) services.calls.notify(tenantId, appointmentId);
}

/** Returns the context of the actor that a seat key represents. */
async function actingContext(
  services: Services,
  { tenantId, staffId }: SeatHolder,
  request: RequestInfo,
): Promise<Context> {
  const visitor = contextFor(services, { kind: 'visitor', tenantId }, request);
  const person = staffId && (await visitor.db.staffUser.findFirst({ where: { tenantId, id: staffId } }));
  if (!person) return asServiceForVisitor(visitor, 'visit_link');
  const user = { role: person.role as Role, tenantId, userId: person.id };
  return contextFor(services, actorOfStaff(user), request);
}
