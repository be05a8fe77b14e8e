import type { Context, Services } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';

export type CheckoutMail = { to: string; url: string; clinic: string; plan: string | null };

const boundTo = (tenantId: string) => `jobs/send_mail/${tenantId}`;

/** The job's payload: encrypted, for whoever reads the queue must not be able to open the link. */
export const sealCheckoutMail = ({ cipher, tenantId }: Context, mail: CheckoutMail): Jobs['send_mail'] => ({
  tenantId,
  sealed: Buffer.from(cipher.seal(JSON.stringify(mail), boundTo(tenantId))).toString('base64'),
});

export const openCheckoutMail = ({ cipher }: Services, { tenantId, sealed }: Jobs['send_mail']): CheckoutMail =>
  JSON.parse(cipher.open(Buffer.from(sealed, 'base64'), boundTo(tenantId)));
