import { GetCalendarFeedInput } from '#contract/calendar.ts';
import { DailyListInput, type DailyListView } from '#contract/daily-list.ts';
import { type MessagePreview, MessageTemplatesInput, UpdateMessageSettingsInput } from '#contract/message-settings.ts';
import { NoInput } from '#contract/patients.ts';
import { ListVisitMessagesInput, PreviewNoticeInput, VisitMessageInput } from '#contract/visit-messages.ts';
import type { DailyList } from '#generated/prisma/client.ts';
import { getEmailBranding } from '#server/clinic/index.ts';
import { isStaff, requireAdmin, requireStaff } from '#server/core/actor.ts';
import { DAY, HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { sendMail } from '#server/providers/mail.ts';
import { noPatient, patientData, router } from '../core/trpc.ts';
import { listAppointmentMessages, resendMessage, skipMessage } from './appointment-messages.ts';
import { createFeed, deleteFeed, getFeed, readFeed } from './calendar-feed.ts';
import { type ComposeInput, choicesLinkFor, composeMail, composeText, languageOf } from './compose-message.ts';
import { addTenantWithLists, nextListAt, removeTenantWithoutLists } from './daily-list.ts';
import { getMessageSettings, updateMessageSettings } from './message-settings.ts';
import { outcomeOfMail } from './outcome.ts';
import { ownId } from './own-id.ts';
import { previewNotice } from './preview-notice.ts';

/** Returns a message as a patient would get it, for a sample appointment. Staff users only. */
export async function previewMessage(ctx: Context, input: MessageTemplatesInput): Promise<MessagePreview> {
  requireStaff(ctx.actor, 'settings:manage');
  const sample = await sampleMessage(ctx, input);
  const { subject, html, text } = composeMail(ctx, sample, 'ada@example.org', sampleChoicesLink(ctx, input));
  return { subject, html, text, sms: composeText(ctx, sample), language: languageOf(ctx, sample) };
}

/**
 * Sends it to the caller's address. Admins only.
 *
 * @throws `provider_unavailable` when the mail server rejects it.
 */
export async function testMessage(ctx: Context, input: MessageTemplatesInput): Promise<{ sent_to: string }> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { actor, tenantId } = ctx;
  if (!isStaff(actor)) throw apiError('forbidden', 'Sign in to the portal to send a test message to your own address.');
  const { email } = await ctx.db.staffUser.findFirstOrThrow({ where: { tenantId, id: actor.userId } });
  const mail = composeMail(ctx, await sampleMessage(ctx, input), email, sampleChoicesLink(ctx, input));
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action: 'message_settings.test',
      object: { type: 'Tenant', id: tenantId },
      details: { kind: input.kind },
    }),
  );
  try {
    await sendMail(ctx, { ...mail, stamp: { tenantId, staffUserId: actor.userId } });
  } catch (error) {
    const outcome = outcomeOfMail(error);
    if (outcome.became === 'failed' && outcome.why === 'not_set_up') throw error;
    throw apiError('provider_unavailable', 'The email server did not accept the message.', {
      people: 'Your email server did not accept the message. Try again in a minute.',
    });
  }
  return { sent_to: email };
}

/** As in a patient's message; the link itself leads to no patient. */
const sampleChoicesLink = (ctx: Context, { kind }: MessageTemplatesInput) => choicesLinkFor(ctx, kind, NO_TENANT);

/** Composes a message for a sample patient, tomorrow on the hour in the tenant's time zone. */
async function sampleMessage(
  ctx: Context,
  { kind, settings, language = settings.language }: MessageTemplatesInput,
): Promise<ComposeInput> {
  const branding = await getEmailBranding(ctx, ctx.tenantId);
  const { timeZone } = branding;
  const now = ctx.clock.now();
  const startAt = new Date(Math.ceil((now.getTime() + DAY) / HOUR) * HOUR);
  const appointment = {
    ...{ id: NO_TENANT, tenantId: ctx.tenantId, patientId: NO_TENANT, practitionerId: null },
    ...{ appointmentTypeId: 1, appointmentType: 'Follow-up', calendarId: 1, calendar: 'Dr. Sam Sample' },
    ...{ startAt, endAt: new Date(startAt.getTime() + HOUR / 2), timeZone, videoToken: 'example', location: null },
    ...{ status: kind === 'cancellation' ? 'canceled' : 'scheduled', pendingChange: null, providerAppointmentId: null },
    ...{
      requestKey: null,
      asked: null,
      metadata: {},
      version: 0,
      checkedInAt: null,
      completedAt: null,
      noShowDueAt: null,
      canceledAt: null,
      cancelReason: null,
      cancelReasonTold: null,
      staffNote: null,
      videoTest: null,
    },
    ...{ accountId: null, canceledBecause: null, createdAt: now, updatedAt: now },
    patient: { firstName: 'Ada', timeZone, language, email: null },
  };
  const wasAt = new Date(startAt.getTime() - DAY);
  const reason = kind === 'cancellation' ? 'The practitioner is ill' : null;
  return { kind, sequence: 0, appointment, wasAt, reason, settings, branding };
}

const AT_SEVEN = 7;

const present = (row: DailyList | null): DailyListView => ({
  is_on: row?.dueAt != null,
  hour: row?.hour ?? AT_SEVEN,
  time_zone: row?.timeZone ?? null,
  on_empty_days: row?.onEmptyDays ?? false,
  last:
    row?.claimedAt && row.state
      ? { at: row.claimedAt.toISOString(), became: row.state as NonNullable<DailyListView['last']>['became'] }
      : null,
});

/** Returns the caller's settings of the daily list by email. Staff users only. */
async function getDailyList(ctx: Context): Promise<DailyListView> {
  const where = { tenantId_userId: { tenantId: ctx.tenantId, userId: ownId(ctx) } };
  return present(await ctx.db.dailyList.findUnique({ where }));
}

/** Sets the daily list; idempotent. A day whose list was started gets no second one. Staff users only. */
async function setDailyList(ctx: Context, input: DailyListInput): Promise<DailyListView> {
  const { tenantId } = ctx;
  const userId = ownId(ctx);
  const { timeZone: ofClinic } = await getEmailBranding(ctx, tenantId);
  return ctx.db.$transaction(async (tx) => {
    const now = ctx.clock.now();
    const { is_on, hour, time_zone, on_empty_days } = input;
    const chosen = { hour, timeZone: time_zone, onEmptyDays: on_empty_days, updatedAt: now };
    const where = { tenantId_userId: { tenantId, userId } };
    // Locks the row, so that a concurrent delivery has stored its day.
    const { day } = await tx.dailyList.upsert({ where, create: { tenantId, userId, ...chosen }, update: chosen });
    const dueAt = is_on ? nextListAt({ hour, day }, time_zone ?? ofClinic, now) : null;
    const row = await tx.dailyList.update({ where, data: { dueAt } });
    await (is_on ? addTenantWithLists(tx, tenantId) : removeTenantWithoutLists(tx, tenantId));
    const details = { is_on, hour, on_empty_days };
    await record(tx, ctx, { action: 'account.set_daily_list', object: { type: 'StaffUser', id: userId }, details });
    return present(row);
  });
}

export { receiveTwilioWebhook } from './delivery-report.ts';

/** Messages of an appointment. */
export const appointmentMessagesRouter = router({
  list: patientData('Appointment')
    .input(ListVisitMessagesInput)
    .query(({ ctx, input }) => listAppointmentMessages(ctx, input)),
  preview: patientData('Appointment')
    .input(PreviewNoticeInput)
    .query(({ ctx, input }) => previewNotice(ctx, input)),
  sendAgain: patientData('Appointment')
    .input(VisitMessageInput)
    .mutation(({ ctx, input }) => resendMessage(ctx, input)),
  skip: patientData('Appointment')
    .input(VisitMessageInput)
    .mutation(({ ctx, input }) => skipMessage(ctx, input)),
});

/** What a tenant sends, and the texts. */
export const messageSettingsRouter = router({
  get: noPatient.input(NoInput.optional()).query(({ ctx }) => getMessageSettings(ctx)),
  update: noPatient.input(UpdateMessageSettingsInput).mutation(({ ctx, input }) => updateMessageSettings(ctx, input)),
  // A mutation, because unsaved texts are too long for a query string.
  preview: noPatient.input(MessageTemplatesInput).mutation(({ ctx, input }) => previewMessage(ctx, input)),
  test: noPatient.input(MessageTemplatesInput).mutation(({ ctx, input }) => testMessage(ctx, input)),
});

/** The calendar subscription of a staff user's own appointments, and its file. */
export const calendarFeedRouter = router({
  get: noPatient.input(NoInput.optional()).query(({ ctx }) => getFeed(ctx)),
  make: noPatient.input(NoInput.optional()).mutation(({ ctx }) => createFeed(ctx)),
  end: noPatient.input(NoInput.optional()).mutation(({ ctx }) => deleteFeed(ctx)),
  open: patientData('Appointment')
    .input(GetCalendarFeedInput)
    .query(({ ctx, input }) => readFeed(ctx, input)),
});

/** The daily email with a staff user's own appointments. */
export const dailyListRouter = router({
  get: noPatient.input(NoInput.optional()).query(({ ctx }) => getDailyList(ctx)),
  set: noPatient.input(DailyListInput).mutation(({ ctx, input }) => setDailyList(ctx, input)),
});
