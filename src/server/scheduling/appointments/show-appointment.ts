import type { AppointmentPageView } from '#contract/appointment-page.ts';
import { KeptTest } from '#contract/visit-test.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireStaff } from '#server/core/actor.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { isOwnRoom } from '#server/core/video-url.ts';
import { withTimeout } from '#server/mirror/index.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { loadAppointment, pendingChange, presentAppointment } from './appointment.ts';
import { findSchedulingIssue, NOT_RESCHEDULABLE } from './scheduling-issue.ts';

/** Maximum time that the page waits for the provider's settings. */
const CATALOGUE_MS = SECOND;

/**
 * Returns an appointment for its page in the portal, with any change of unknown outcome. Staff users only.
 *
 * @throws 404.
 */
export async function showAppointment(ctx: Context, { id }: { id: string }): Promise<AppointmentPageView> {
  requireStaff(ctx.actor, 'appointments:read');
  const row = await loadAppointment(ctx, id);
  ctx.trail.patients.add(row.patientId);
  const open = pendingChange(row);
  const isAhead = row.status === 'scheduled' && row.startAt > ctx.clock.now();
  // Must run first, because it may refresh the provider's settings.
  const isNotOffered = isAhead && (await isOffered(ctx, row)) === false;
  const issue = await findSchedulingIssue(ctx, row);
  const why = issue ?? (isNotOffered ? 'not_offered' : null);
  return {
    visit: presentAppointment(ctx, row, issue),
    cannot_move: isAhead && why ? NOT_RESCHEDULABLE[why] : null,
    video_test: row.videoTest === null ? null : KeptTest.parse(row.videoTest),
    lacks_date_of_birth: await lacksDateOfBirth(ctx, row),
    // A cancellation takes precedence over a pending reschedule.
    under_way: open && open.kind !== 'book' ? { what: open.endedBy ? 'cancel' : 'move', to: open.to ?? null } : null,
    no_show_due_at: row.noShowDueAt?.toISOString() ?? null,
  };
}

/** True when the provider still offers the type in the calendar; undefined while its settings are unknown. */
async function isOffered(ctx: Context, { calendarId, appointmentTypeId }: Appointment): Promise<boolean | undefined> {
  const catalogue = await withTimeout(getCatalogue(ctx), CATALOGUE_MS).catch((error) => {
    if (error instanceof CarelaneError) return undefined;
    throw error;
  });
  return catalogue?.calendars.some(({ id, typeIds }) => id === calendarId && typeIds.includes(appointmentTypeId));
}

async function lacksDateOfBirth(
  ctx: Context,
  { status, patientId }: Pick<Appointment, 'status' | 'patientId'>,
): Promise<boolean> {
  const { db, tenantId } = ctx;
  if (status !== 'scheduled' || !isOwnRoom(ctx)) return false;
  const where = { id: tenantId, visitCheck: 'date_of_birth' };
  if (!(await db.tenant.findFirst({ where, select: { id: true } }))) return false;
  const withoutBirthDate = { tenantId, id: patientId, birthDate: null };
  return (await db.patient.findFirst({ where: withoutBirthDate, select: { id: true } })) !== null;
}
