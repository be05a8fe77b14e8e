import type { SetInvitesInput } from '#contract/settings.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';

/** Turns inviting patients on or off; invitations already sent stay valid. */
export async function setInvites(ctx: Context, { enabled }: SetInvitesInput): Promise<void> {
  requireAdmin(ctx.actor, 'settings:manage');
  await ctx.db.$transaction(async (tx) => {
    await tx.tenant.update({ where: { id: ctx.tenantId }, data: { invitesEnabled: enabled } });
    await record(tx, ctx, {
      action: enabled ? 'invitations.turn_on' : 'invitations.turn_off',
      object: { type: 'Tenant', id: ctx.tenantId },
    });
  });
}

const INVITES_OFF = 'Inviting patients is off; an administrator can turn it on under API credentials.';

/** Requires that an admin has turned invitations on; they are off by default. */
export async function assertInvitesEnabled({ db, tenantId }: Context): Promise<void> {
  const { invitesEnabled } = await db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  if (!invitesEnabled) throw apiError('forbidden', INVITES_OFF, { people: INVITES_OFF });
}
