import type { MessagePreview, MessageTemplatesInput } from '#contract/message-settings.ts';
import { getEmailBranding } from '#server/clinic/email-branding.ts';
import { requireAdmin, requireStaff } from '#server/core/actor.ts';
import { DAY, HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { sendMail } from '#server/providers/mail.ts';
import { type ComposeInput, composeMail, composeText, languageOf, paragraphsOf } from './compose-message.ts';
import { outcomeOfMail } from './outcome.ts';

/** Returns a message as a patient would get it, for a sample appointment. Staff users only. */
export async function previewMessage(ctx: Context, input: MessageTemplatesInput): Promise<MessagePreview> {
  requireStaff(ctx.actor);
  const sample = await sampleMessage(ctx, input);
  const { subject, text } = composeMail(ctx, sample, 'ada@example.org', null);
  return {
    subject,
    paragraphs: paragraphsOf(ctx, sample),
    text,
    sms: composeText(ctx, sample),
    language: languageOf(ctx, sample),
  };
}

/**
 * Sends it to the caller's address. Admins only.
 *
 * @throws `provider_unavailable` when the mail server rejects it.
 */
export async function testMessage(ctx: Context, input: MessageTemplatesInput): Promise<{ sent_to: string }> {
  requireAdmin(ctx.actor);
  const { actor, tenantId } = ctx;
  if (actor.kind !== 'admin')
    throw apiError('forbidden', 'Sign in as an administrator to send a test message to your own address.');
  const { email } = await ctx.db.staffUser.findFirstOrThrow({ where: { tenantId, id: actor.userId } });
  const mail = composeMail(ctx, await sampleMessage(ctx, input), email, null);
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
    throw apiError('provider_unavailable', 'The mail server did not take the message.', {
      people: 'Your mail server did not take the message. Try again in a minute.',
    });
  }
  return { sent_to: email };
}

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
      canceledAt: null,
      cancelReason: null,
      staffNote: null,
      videoTest: null,
    },
    ...{ accountId: null, canceledBecause: null, createdAt: now, updatedAt: now },
    patient: { firstName: 'Ada', timeZone, language, email: null },
  };
  return { kind, sequence: 0, appointment, wasAt: new Date(startAt.getTime() - DAY), settings, branding };
}
