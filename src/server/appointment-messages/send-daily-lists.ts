import type { DailyList } from '#generated/prisma/client.ts';
import { type EmailBranding, getEmailBranding } from '#server/clinic/index.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { addDays, type Day, fromMinute, localDay, startOfDay, toMinute } from '#server/core/zone.ts';
import { renderEmail } from '#server/messages/index.ts';
import { loggableSmtpError, type Mail, sendMail } from '#server/providers/mail.ts';
import { lostBefore } from './claim-message.ts';
import { hourOf, nextListAt, TENANTS_WITH_LISTS } from './daily-list.ts';
import { formatDate } from './message.ts';
import { readMessageSettings } from './message-settings.ts';
import { outcomeOfMail, retryDelayMs } from './outcome.ts';

/**
 * Job of every minute: queues a run for each tenant with a due list. Queries only tenants with a subscribed staff user.
 */
export async function queueDailyLists(services: Services): Promise<void> {
  const { database, clock, log } = services;
  for (const tenantId of await database.tenantsOf(TENANTS_WITH_LISTS)) {
    try {
      const db = database.forTenant(tenantId);
      const where = { tenantId, OR: dueOrLost(clock.now()) };
      if ((await db.dailyList.findFirst({ where, select: { userId: true } })) === null) continue;
      await enqueue(db, 'send_daily_lists', { tenantId }, { key: `send_daily_lists:${tenantId}` });
    } catch (error) {
      log.error({ tenantId, err: (error as Error).message }, 'whose list of the day is due could not be looked up');
    }
  }
}

const dueOrLost = (now: Date) => [{ dueAt: { lte: now } }, { state: 'sending', claimedAt: { lt: lostBefore(now) } }];

/**
 * Sends staff users the list of their day, at most once a day. A list whose process ended during delivery has an
 * unknown outcome and is not sent again.
 */
export async function sendDailyLists(services: Services, { tenantId }: Jobs['send_daily_lists']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'daily_lists');
  const now = ctx.clock.now();
  await ctx.db.dailyList.updateMany({
    where: { tenantId, state: 'sending', claimedAt: { lt: lostBefore(now) } },
    data: { state: 'unknown', updatedAt: now },
  });
  const due = await ctx.db.dailyList.findMany({
    where: { tenantId, dueAt: { lte: now } },
    orderBy: [{ dueAt: 'asc' }, { userId: 'asc' }],
    select: { userId: true },
  });
  if (due.length === 0) return;
  const branding = await getEmailBranding(services, tenantId);
  let firstError: unknown = null;
  // One failed list must not stop the others.
  for (const { userId } of due)
    await sendOne(ctx, userId, branding).catch((error: unknown) => {
      firstError ??= error;
    });
  if (firstError) throw firstError;
}

type Claimed = { row: DailyList; mail: Omit<Mail, 'stamp'> };

async function sendOne(ctx: Context, userId: string, branding: EmailBranding): Promise<void> {
  const { tenantId } = ctx;
  const claimed = await claim(ctx, userId, branding);
  if (!claimed) return;
  const { row, mail } = claimed;
  const claimedRow = { tenantId, userId, state: 'sending', day: row.day, tries: row.tries };
  const save = async (data: object, more: object = {}) =>
    ctx.db.dailyList.updateMany({ where: { ...claimedRow, ...more }, data: { ...data, updatedAt: ctx.clock.now() } });
  try {
    await sendMail(ctx, { ...mail, stamp: { tenantId, staffUserId: userId } });
    await save({ state: 'sent' });
  } catch (error) {
    const outcome = outcomeOfMail(error);
    ctx.log.warn({ userId, ...loggableSmtpError(error), became: outcome.became }, 'a list of the day was not sent');
    const pause = outcome.became === 'again' ? retryDelayMs(row.tries) : null;
    const isUnknown = outcome.became === 'failed' && outcome.why === 'unknown';
    // Certainly not sent, so it is due again; `claim` verifies that it is still the same day.
    const dueAt = pause === null ? null : new Date(ctx.clock.now().getTime() + pause);
    // No retry for a staff user who has unsubscribed.
    if (dueAt) await save({ state: 'again', dueAt }, { dueAt: { not: null } });
    await save({ state: isUnknown ? 'unknown' : 'failed' });
  }
}

/**
 * Claims a due list: stores the day as started before the mail server is called, and records in the audit log whose
 * appointments it contains. Null when there is nothing to send, or another process claimed it.
 */
async function claim(ctx: Context, userId: string, branding: EmailBranding): Promise<Claimed | null> {
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const now = ctx.clock.now();
    const [locked] = await tx.$queryRaw<object[]>`
      select user_id from daily_lists where tenant_id = ${tenantId}::uuid and user_id = ${userId}::uuid
        and due_at <= ${now}::timestamptz for update skip locked`;
    if (!locked) return null;
    const where = { tenantId_userId: { tenantId, userId } };
    const { user, ...row } = await tx.dailyList.findUniqueOrThrow({
      where,
      include: { user: { select: { name: true, email: true, disabledAt: true } } },
    });
    const save = (data: object) => tx.dailyList.update({ where, data: { ...data, updatedAt: now } });
    const zone = row.timeZone ?? branding.timeZone;
    const today = localDay(toMinute(now), zone);
    const isRetry = row.state === 'again' && row.day === today;
    const isToday = isRetry || ((row.day === null || row.day < today) && hourOf(today, row.hour, zone) <= now);
    if (user.disabledAt || !isToday) {
      // A disabled staff user has nothing due; yesterday's unsent list is obsolete.
      await save({ dueAt: user.disabledAt ? null : nextListAt(row, zone, now) });
      return null;
    }
    const attempt = isRetry ? row.tries + 1 : 1;
    const started = {
      day: today,
      claimedAt: now,
      tries: attempt,
      dueAt: nextListAt({ hour: row.hour, day: today }, zone, now),
    };
    const appointments = await appointmentsOfDay(tx, { tenantId, userId, day: today, zone });
    if (appointments.length === 0 && !row.onEmptyDays) {
      await save({ ...started, state: 'empty' });
      return null;
    }
    const { settings } = await readMessageSettings(tx, tenantId);
    const object = { type: 'StaffUser', id: userId };
    const details = { day: today, named: settings.says_patient };
    await record(tx, ctx, { action: 'account.send_daily_list', object, details });
    for (const patientId of new Set(appointments.map((appointment) => appointment.patientId)))
      await record(tx, ctx, { action: 'appointments.send_list', object, patientId, details });
    const saved = await save({ ...started, state: 'sending' });
    const about = { day: today, zone, appointments, namesPatients: settings.says_patient };
    return { row: saved, mail: { ...composeList(ctx, about, branding), to: user.email } };
  });
}

type OfDay = { tenantId: string; userId: string; day: Day; zone: string };
type AppointmentOfDay = Awaited<ReturnType<typeof appointmentsOfDay>>[number];

/** Returns a staff user's own appointments that start on a day of that zone, in order. */
const appointmentsOfDay = (tx: Tx, { tenantId, userId, day, zone }: OfDay) =>
  tx.appointment.findMany({
    where: {
      ...{ tenantId, practitionerId: userId, status: 'scheduled' },
      startAt: { gte: fromMinute(startOfDay(day, zone)), lt: fromMinute(startOfDay(addDays(day, 1), zone)) },
    },
    orderBy: [{ startAt: 'asc' }, { id: 'asc' }],
    select: {
      ...{ startAt: true, endAt: true, appointmentType: true, patientId: true },
      patient: { select: { firstName: true, lastName: true } },
    },
  });

/**
 * Composes the email with a staff user's appointments of the day; it names patients only when the settings allow it. In
 * English, as the portal is: staff users have no language setting, and the tenant's language is for messages to
 * patients.
 */
function composeList(
  { config }: Pick<Context, 'config'>,
  {
    day,
    zone,
    appointments,
    namesPatients,
  }: { day: Day; zone: string; appointments: AppointmentOfDay[]; namesPatients: boolean },
  branding: EmailBranding,
) {
  const timeOf = (at: Date) => formatDate(at, 'en-US', { timeZone: zone, hour: 'numeric', minute: '2-digit' });
  const name = formatDate(new Date(`${day}T00:00Z`), 'en-US', {
    timeZone: 'UTC',
    weekday: 'long',
    month: 'long',
    day: 'numeric',
  });
  const count =
    appointments.length === 0
      ? 'no appointments'
      : appointments.length === 1
        ? '1 appointment'
        : `${appointments.length} appointments`;
  const lineOf = ({ startAt, endAt, appointmentType, patient }: AppointmentOfDay) => {
    const who = namesPatients ? [patient.firstName, patient.lastName].filter(Boolean).join(' ') : '';
    return `${timeOf(startAt)} to ${timeOf(endAt)}: ${[appointmentType, who].filter(Boolean).join(', ')}`;
  };
  const parts = [
    `You have ${count} on ${name}. Times are those of ${zone}.`,
    ...appointments.map(lineOf),
    'This day in your calendar:',
    { url: `${config.publicUrl}/calendar?day=${day}` },
    'You get this because you asked for it under Your account, where you can end it.',
  ];
  return renderEmail(
    { subject: `${branding.clinic}: ${count} on ${name}`, parts, isToPatient: false },
    branding.clinic,
    branding,
  );
}
