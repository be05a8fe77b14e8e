import { readLetterhead } from '#server/clinic/letterhead.ts';
import type { Services } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { sendMail } from '#server/providers/mail.ts';
import { sendSms } from '#server/providers/sms.ts';
import type { Message } from './message.ts';
import { openMessage } from './send-message.ts';
import { mailOf } from './templates/mail-of.ts';
import { smsOf } from './templates/sms-of.ts';

type Sent = Exclude<Message, { kind: 'nothing' }>;
/** The page of the clinic's own app that a message leads to, or null. */
export type FindAppLink = (services: Services, tenantId: string, message: Sent) => Promise<string | null>;

/**
 * Sends one queued message. Where it leads is found out now: none of that costs the request that queued it anything, so
 * that no time tells who exists. A code that has run out is not sent; the log names kind and tenant only.
 */
export async function deliverMessage(
  services: Services,
  job: Jobs['send_message'],
  findAppLink: FindAppLink,
): Promise<void> {
  const queued = openMessage(services, job);
  if (queued.kind === 'nothing') return;
  const about = { tenantId: job.tenantId, kind: queued.kind };
  if ('until' in queued && queued.until && new Date(queued.until) <= services.clock.now()) {
    services.log.warn(about, 'message not sent: its code has run out');
    return;
  }
  try {
    const letterhead = await readLetterhead(services, job.tenantId);
    const { clinic, timeZone, phone } = letterhead;
    const link = await findAppLink(services, job.tenantId, queued);
    const message: Sent = link === null ? queued : ({ ...queued, url: link } as Sent);
    const { to } = message;
    const stamp = { tenantId: job.tenantId, staffUserId: 'staffUserId' in message ? message.staffUserId : undefined };
    if (to.startsWith('+'))
      await sendSms(services.config, { to, text: smsOf(message, clinic, timeZone, phone), stamp });
    else await sendMail(services, { to, ...mailOf(message, clinic, timeZone, letterhead), stamp });
  } catch (error) {
    services.log.error({ ...about, err: (error as Error).message }, 'message not sent');
    throw error;
  }
}
