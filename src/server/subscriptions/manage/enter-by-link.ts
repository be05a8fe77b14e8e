import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { isInCare } from '#server/patients/in-care.ts';
import { hashCheckoutToken, isCurrentAddress, openLink } from '../checkout/live-link.ts';

/** The patient in whose name the page acts, and the only subscription that it may access. */
export type LinkSession = { ctx: Context; patientId: string; subscriptionId: string };

/** The application id under which the page appears in the audit log. */
const PAGE = 'manage-page';

/**
 * Turns the visitor with a link into its patient.
 * @throws `not_found` once the link has expired or ended, the patient's care has ended, or the patient has changed an
 * address or number that the link was sent to
 */
export async function authenticateByLink(ctx: Context, token: string): Promise<LinkSession> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'This opens with a link of its own only.');
  const { tenantId } = ctx;
  const link = await ctx.db.manageLink.findFirst({
    where: { tenantId, tokenHash: hashCheckoutToken(token), expiresAt: { gt: ctx.clock.now() }, endedAt: null },
    include: { patient: true },
  });
  if (link) ctx.trail.patients.add(link.patientId);
  const sentTo = link && openLink(ctx, 'manage', { ...link, token: null }).sentTo;
  if (!link || !isInCare(link.patient) || !isCurrentAddress(sentTo, link.patient))
    throw apiError('not_found', 'This link is not valid any more. Ask your clinic for a new one.');
  const { patientId, subscriptionId } = link;
  const actor = { kind: 'patient', tenantId, patientId, clientId: PAGE, impersonatedBy: null } as const;
  return { ctx: { ...ctx, actor }, patientId, subscriptionId };
}
