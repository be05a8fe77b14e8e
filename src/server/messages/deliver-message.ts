import type { MessageSettings } from '#contract/message-settings.ts';
import { isTestAddress } from '#contract/test-addresses.ts';
import { getEmailBranding } from '#server/clinic/index.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { loggableSmtpError, sendMail } from '#server/providers/mail.ts';
import { sendSms } from '#server/providers/sms.ts';
import type { Message } from './message.ts';
import { openMessage } from './send-message.ts';
import { buildEmail } from './templates/build-email.ts';
import { buildSms } from './templates/build-sms.ts';
import { findTemplates } from './templates/find-templates.ts';

type Sent = Exclude<Message, { kind: 'nothing' }>;
/** Returns the page of the clinic's own app that a message links to, or null. */
export type FindAppLink = (services: Services, tenantId: string, message: Sent) => Promise<string | null>;

/** Handles a provider's error for a message. Returns whether the address is the cause, so that a retry is useless. */
type HandleDeliveryError = (services: Services, tenantId: string, message: Sent, error: unknown) => Promise<boolean>;

/**
 * Sends one queued message. Its link and language are looked up now, so that they do not delay the request that queued
 * it and its response time reveals nothing. An expired code is not sent; the log names only kind and tenant.
 *
 * Message choices (`mayReceive`) are not checked: codes, links and security notices are sent after a STOP or a bounce
 * too. The provider decides (Twilio: error 21610 for a number that answered STOP), and `handleDeliveryError` handles its error.
 */
export async function deliverMessage(
  services: Services,
  job: Jobs['send_message'],
  findAppLink: FindAppLink,
  handleDeliveryError: HandleDeliveryError,
): Promise<void> {
  const queued = openMessage(services, job);
  if (queued.kind === 'nothing') return;
  const logFields = { tenantId: job.tenantId, kind: queued.kind };
  if ('until' in queued && queued.until && new Date(queued.until) <= services.clock.now()) {
    services.log.warn(logFields, 'message not sent: its code has run out');
    return;
  }
  // Test addresses exist only in a sandbox's own inbox; a real provider would reject them.
  const { environment, inboxUrl } = services.config;
  if (environment === 'sandbox' && !inboxUrl && isTestAddress(queued.to)) return;
  try {
    const branding = await getEmailBranding(services, job.tenantId);
    const { clinic, timeZone, phone } = branding;
    const templates = findTemplates(await readerLanguages(services, job.tenantId, queued));
    const link = await findAppLink(services, job.tenantId, queued);
    const message: Sent = link === null ? queued : ({ ...queued, url: link } as Sent);
    const { to } = message;
    const sendId = sendIdOf(queued);
    const stamp = { tenantId: job.tenantId, staffUserId: 'staffUserId' in message ? message.staffUserId : undefined };
    if (to.startsWith('+'))
      await sendSms(services.config, {
        ...{ to, text: buildSms(message, clinic, timeZone, phone, templates), stamp },
        ...(sendId && { about: `${job.tenantId}.${sendId}` }),
      });
    else await sendMail(services, { to, ...buildEmail(message, clinic, timeZone, branding, templates), stamp });
    await recordSent(services, job.tenantId, queued);
  } catch (error) {
    if (await handleDeliveryError(services, job.tenantId, queued, error))
      return recordSent(services, job.tenantId, queued);
    const smtpError = loggableSmtpError(error);
    services.log.error({ ...logFields, ...smtpError }, 'message not sent');
    // The job stores the thrown error, and a mail server's own text may name the recipient.
    if (!('responseCode' in smtpError)) throw error;
    throw apiError('provider_error', `The email server refused a message with ${smtpError.responseCode}.`);
  }
}

const sendIdOf = (message: Sent): string | null => ('sendId' in message && message.sendId) || null;

/**
 * Records that the message was sent, unless a report of its loss came first. A failed write is only logged: the message
 * must not be sent again.
 */
async function recordSent(services: Services, tenantId: string, message: Sent): Promise<void> {
  const id = sendIdOf(message);
  if (!id) return;
  const { db, log } = systemContext(services, tenantId, 'send_message');
  const where = { tenantId, id, outcome: null };
  await db.codeSend
    .updateMany({ where, data: { outcome: 'sent' } })
    .catch((error) => log.warn({ tenantId, error }, 'a message was sent, but this was not recorded'));
}

/**
 * Returns the recipient's likely languages, best first: the patient's, then the clinic's. Without a patient id it is
 * looked up by address, only at delivery, so that neither a response nor its time reveals it.
 */
async function readerLanguages(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  message: Exclude<Message, { kind: 'nothing' }>,
): Promise<(string | null)[]> {
  if ('staffUserId' in message) return [];
  const db = database.forTenant(tenantId);
  const { to, patientId } = message;
  const patientFilter = patientId
    ? { id: patientId }
    : to.startsWith('+')
      ? { signIn: { phoneNumber: to } }
      : { email: to };
  const [patient, row] = await Promise.all([
    db.patient.findFirst({ where: { tenantId, ...patientFilter }, select: { language: true } }),
    db.messageSettings.findFirst({ where: { tenantId }, select: { settings: true } }),
  ]);
  const { language } = (row?.settings ?? {}) as Partial<MessageSettings>;
  return [patient?.language ?? null, language ?? null];
}
