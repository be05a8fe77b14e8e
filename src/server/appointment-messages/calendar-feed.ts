import type { AuditAction } from '#contract/audit-actions.ts';
import type { CalendarFeedView, CreatedCalendarFeed, GetCalendarFeedInput } from '#contract/calendar.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { newLinkToken } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { calendarFile } from './calendar-file.ts';
import { uidOf } from './compose-message.ts';
import { readMessageSettings } from './message-settings.ts';
import { ownId } from './own-id.ts';

/** Returns whether the caller's appointments have a calendar subscription link. Staff users only. */
export async function getFeed(ctx: Context): Promise<CalendarFeedView> {
  const where = { tenantId_id: { tenantId: ctx.tenantId, id: ownId(ctx) } };
  const { calendarFeedAt } = await ctx.db.staffUser.findUniqueOrThrow({ where, select: { calendarFeedAt: true } });
  return { made_at: calendarFeedAt?.toISOString() ?? null };
}

/** Creates a calendar subscription link, which replaces the previous one. Staff users only. */
export async function createFeed(ctx: Context): Promise<CreatedCalendarFeed> {
  const token = newLinkToken(ctx.tenantId);
  const now = ctx.clock.now();
  await write(ctx, 'account.make_calendar_link', { calendarFeedHash: sha256(token), calendarFeedAt: now });
  return { url: `${ctx.config.publicUrl}/api/calendars/${token}.ics`, made_at: now.toISOString() };
}

/** Invalidates the link; idempotent. Staff users only. */
export async function deleteFeed(ctx: Context): Promise<CalendarFeedView> {
  await write(ctx, 'account.end_calendar_link', { calendarFeedHash: null, calendarFeedAt: null });
  return { made_at: null };
}

async function write(
  ctx: Context,
  action: AuditAction,
  data: { calendarFeedHash: string | null; calendarFeedAt: Date | null },
): Promise<void> {
  const id = ownId(ctx);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id } }, data });
    await record(tx, ctx, { action, object: { type: 'StaffUser', id } });
  });
}

const PAST = 30 * DAY;
const AHEAD = 180 * DAY;
/** More than any staff user has in seven months. */
const MAX_APPOINTMENTS = 3_000;

/**
 * Returns the link owner's appointments as an iCalendar file, from a month ago to half a year ahead, without canceled
 * ones. It names no patient unless the settings allow it.
 *
 * @throws not_found for an unknown or replaced link and for one of a disabled staff user.
 */
export async function readFeed(ctx: Context, { token }: GetCalendarFeedInput): Promise<{ file: string }> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A calendar opens with its link only.');
  const { tenantId, db, config } = ctx;
  const owner = await db.staffUser.findFirst({
    where: { tenantId, calendarFeedHash: sha256(token), disabledAt: null },
    select: { id: true },
  });
  if (!owner) throw notFound('link');
  const now = ctx.clock.now().getTime();
  const [clinic, { settings }, appointments] = await Promise.all([
    db.tenant.findUniqueOrThrow({ where: { id: tenantId }, select: { name: true } }),
    readMessageSettings(db, tenantId),
    db.appointment.findMany({
      where: {
        ...{ tenantId, practitionerId: owner.id, status: 'scheduled' },
        startAt: { gte: new Date(now - PAST), lte: new Date(now + AHEAD) },
      },
      orderBy: [{ startAt: 'asc' }, { id: 'asc' }],
      take: MAX_APPOINTMENTS,
      include: { patient: { select: { firstName: true, lastName: true } } },
    }),
  ]);
  const entries = appointments.map((appointment) => {
    ctx.trail.patients.add(appointment.patientId);
    const { firstName, lastName } = appointment.patient;
    const who = settings.says_patient ? [firstName, lastName].filter(Boolean).join(' ') : '';
    return {
      uid: uidOf(appointment),
      sequence: appointment.version,
      method: 'PUBLISH' as const,
      startAt: appointment.startAt,
      endAt: appointment.endAt,
      timeZone: appointment.timeZone,
      title: [appointment.appointmentType, who].filter(Boolean).join(', '),
      description: null,
      // Requires a sign-in; the video link would let any reader of the calendar join.
      link: `${config.publicUrl}/appointments/${appointment.id}`,
      stampedAt: appointment.updatedAt,
      organizer: null,
      attendee: null,
    };
  });
  return { file: calendarFile(`Appointments, ${clinic.name}`, 'PUBLISH', entries) };
}
