import type { Services } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { sendMail } from '#server/providers/mail.ts';
import { openCheckoutMail } from './checkout-mail.ts';

/** Mails a checkout link. The mail says nothing about health: who asks, what to do, and until when. */
export async function sendCheckoutMail(services: Services, job: Jobs['send_mail']): Promise<void> {
  const { to, url, clinic, plan } = openCheckoutMail(services, job);
  const text = [
    `${clinic} asks you to set up your payment${plan ? ` for ${plan}` : ''}.`,
    '',
    'Open this page to pay or to save a card:',
    url,
    '',
    'The link is yours alone and works for 24 hours. If it has run out, ask your clinic for a new one.',
  ].join('\n');
  const stamp = { tenantId: job.tenantId };
  await sendMail(services, { to, subject: `${clinic}: set up your payment`, text, stamp });
}
