import type { VisitOnPage } from '#contract/visit-on-page.ts';
import { KeptTest } from '#contract/visit-test.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { isOwnRoom } from '#server/bookings/video-url.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { loadAppointment, pendingChange, presentAppointment } from './appointment.ts';

/** A visit for its page in the portal, with what is under way at Acuity and not known to have ended. Staff only; 404. */
export async function showVisit(ctx: Context, { id }: { id: string }): Promise<VisitOnPage> {
  requireStaff(ctx.actor);
  const row = await loadAppointment(ctx, id);
  ctx.trail.patients.add(row.patientId);
  const open = pendingChange(row);
  return {
    visit: presentAppointment(ctx, row),
    video_test: row.videoTest === null ? null : KeptTest.parse(row.videoTest),
    lacks_date_of_birth: await lacksDateOfBirth(ctx, row),
    // The end is what counts, also where the visit was being moved.
    under_way:
      open && open.kind !== 'book' ? { what: open.endedBy ? endOf(open.kind) : 'move', to: open.to ?? null } : null,
  };
}

async function lacksDateOfBirth(
  ctx: Context,
  { status, patientId }: Pick<Appointment, 'status' | 'patientId'>,
): Promise<boolean> {
  const { db, tenantId } = ctx;
  if (status !== 'scheduled' || !isOwnRoom(ctx)) return false;
  const asking = { id: tenantId, visitCheck: 'date_of_birth' };
  if (!(await db.tenant.findFirst({ where: asking, select: { id: true } }))) return false;
  const lacking = { tenantId, id: patientId, birthDate: null };
  return (await db.patient.findFirst({ where: lacking, select: { id: true } })) !== null;
}

const endOf = (kind: string): 'cancel' | 'no_show' => (kind === 'no_show' ? 'no_show' : 'cancel');
