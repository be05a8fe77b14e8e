import type { AppAddressesView, SetAppAddressesInput } from '#contract/origins.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { assertOwnWebsites } from './allowed-origins.ts';

/** Returns the pages of the clinic's own app that its emails link to, in effect or not. */
export async function getAppAddresses(ctx: Context): Promise<AppAddressesView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { invitationUrl, resetUrl, confirmationUrl } = await ctx.db.tenant.findUniqueOrThrow({
    where: { id: ctx.tenantId },
  });
  return { invitation: invitationUrl, reset: resetUrl, confirmation: confirmationUrl };
}

/**
 * Replaces all three addresses; null selects Carelane's own page.
 * @throws `invalid_parameter` for each address that is not on an allowed origin, with the field's name
 */
export async function setAppAddresses(ctx: Context, input: SetAppAddressesInput): Promise<AppAddressesView> {
  requireAdmin(ctx.actor, 'settings:manage');
  await assertOwnWebsites(ctx, input);
  const { invitation, reset, confirmation } = input;
  await ctx.db.$transaction(async (tx) => {
    await tx.tenant.update({
      where: { id: ctx.tenantId },
      data: { invitationUrl: invitation, resetUrl: reset, confirmationUrl: confirmation },
    });
    await record(tx, ctx, {
      action: 'applications.set_app_addresses',
      object: { type: 'Tenant', id: ctx.tenantId },
      details: { ...input },
    });
  });
  return input;
}
