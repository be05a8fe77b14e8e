import { getEmailBranding } from '#server/clinic/index.ts';
import type { Context, Services } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { englishTime, renderEmail } from '#server/messages/index.ts';
import { sendMail } from '#server/providers/mail.ts';

type CheckoutMail = {
  to: string;
  url: string;
  clinic: string;
  plan: string | null;
  /** The page that the link opens; the payment page by default. */
  page?: 'manage';
  /** Expiry, printed in the clinic's time zone. */
  until: string;
  timeZone: string;
};

const boundTo = (tenantId: string) => `jobs/send_mail/${tenantId}`;

/** The job's payload is encrypted: access to the queue must not give access to the link. */
export const sealCheckoutMail = ({ cipher, tenantId }: Context, mail: CheckoutMail): Jobs['send_mail'] => ({
  tenantId,
  sealed: Buffer.from(cipher.seal(JSON.stringify(mail), boundTo(tenantId))).toString('base64'),
});

const openCheckoutMail = ({ cipher }: Services, { tenantId, sealed }: Jobs['send_mail']): CheckoutMail =>
  JSON.parse(cipher.open(Buffer.from(sealed, 'base64'), boundTo(tenantId)));

/** Emails a payment or manage link. The text holds no health data: only sender, action and expiry. */
export async function sendCheckoutMail(services: Services, job: Jobs['send_mail']): Promise<void> {
  const { to, url, clinic, plan, page, until, timeZone } = openCheckoutMail(services, job);
  const texts =
    page === 'manage'
      ? {
          subject: 'your subscription',
          first: `This is the page of your subscription${plan ? ` to ${plan}` : ''} with ${clinic}.`,
          open: 'Open it to see your bills, change your card or make changes:',
        }
      : {
          subject: 'set up your payment',
          first: `${clinic} asks you to set up your payment${plan ? ` for ${plan}` : ''}.`,
          open: 'Open this page to pay or to save a card:',
        };
  const parts = [
    texts.first,
    texts.open,
    { url },
    `The link is yours alone and works until ${englishTime(until, timeZone)}. If it has run out, ask your clinic for a new one.`,
  ];
  const branding = await getEmailBranding(services, job.tenantId);
  const email = renderEmail({ subject: `${clinic}: ${texts.subject}`, parts, isToPatient: true }, clinic, branding);
  await sendMail(services, { to, ...email, stamp: { tenantId: job.tenantId } });
}
