import type { RenameInput } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { record } from '../../core/record.ts';
import { requireOwnAccount } from '../member.ts';

/** Changes the name that colleagues see. */
export async function renameAccount(ctx: Context, { name }: RenameInput): Promise<void> {
  const { userId } = requireOwnAccount(ctx.actor);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id: userId } }, data: { name } });
    await record(tx, ctx, { action: 'account.rename', object: { type: 'StaffUser', id: userId } });
  });
}
