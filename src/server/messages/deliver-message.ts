import type { Services } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { sendMail } from '#server/providers/mail.ts';
import { sendSms } from '#server/providers/sms.ts';
import { openMessage } from './send-message.ts';
import { mailOf } from './templates/mail-of.ts';
import { smsOf } from './templates/sms-of.ts';

/** Sends one queued message. A code that has run out meanwhile is not sent; the log names kind and tenant only. */
export async function deliverMessage(services: Services, job: Jobs['send_message']): Promise<void> {
  const message = openMessage(services, job);
  if (message.kind === 'nothing') return;
  const about = { tenantId: job.tenantId, kind: message.kind };
  if ('until' in message && new Date(message.until) <= services.clock.now()) {
    services.log.warn(about, 'message not sent: its code has run out');
    return;
  }
  try {
    const { name } = await services.database
      .forTenant(job.tenantId)
      .tenant.findUniqueOrThrow({ where: { id: job.tenantId }, select: { name: true } });
    const { to } = message;
    const stamp = { tenantId: job.tenantId, staffUserId: 'staffUserId' in message ? message.staffUserId : undefined };
    if (to.startsWith('+')) await sendSms(services.config, { to, text: smsOf(message, name), stamp });
    else await sendMail(services.config, { to, ...mailOf(message, name), stamp });
  } catch (error) {
    services.log.error({ ...about, err: (error as Error).message }, 'message not sent');
    throw error;
  }
}
