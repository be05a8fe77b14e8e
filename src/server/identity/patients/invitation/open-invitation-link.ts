import type { InvitationLinkView } from '#contract/patient-sign-in.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { isId, tokenOfTenant } from '#server/core/ids.ts';

const boundTo = (tenantId: string) => `invitation-links/${tenantId}`;

/** Identifies the invitation to our own page only: the encrypted token cannot be read without the service. */
export const invitationLinkToken = ({ cipher, tenantId }: Context, patientId: string): string =>
  tokenOfTenant(tenantId, Buffer.from(cipher.seal(patientId, boundTo(tenantId))).toString('base64url'));

/**
 * Returns the inviting clinic and the invited address, so that the page need not ask for it, while the invitation is
 * pending.
 * @throws `expired_code` once it was completed, replaced or withdrawn, and for an invalid token
 */
export async function openInvitationLink(ctx: Context, { token }: { token: string }): Promise<InvitationLinkView> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'An invitation is opened from its link.');
  const { tenantId } = ctx;
  const id = patientOf(ctx, token);
  const patient =
    id === null ? null : await ctx.db.patient.findFirst({ where: { tenantId, id }, include: { signIn: true } });
  if (patient) ctx.trail.patients.add(patient.id);
  const tenant = await ctx.db.tenant.findFirst({ where: { id: tenantId } });
  if (!tenant || !patient?.email || patient.archivedAt || !patient.signIn?.temporaryUntil)
    throw apiError('expired_code', 'This invitation was accepted already, or withdrawn.');
  return { clinic: tenant.name, email: patient.email };
}

function patientOf({ cipher, tenantId }: Context, token: string): string | null {
  try {
    const id = cipher.open(Buffer.from(token.split('.')[1] ?? '', 'base64url'), boundTo(tenantId));
    return isId(id) ? id : null;
  } catch {
    return null;
  }
}
