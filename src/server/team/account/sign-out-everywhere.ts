import type { Context } from '../../core/context.ts';
import { record } from '../../core/record.ts';
import { endStaffSessions } from '../../identity/staff/end-staff-sessions.ts';
import { requireOwnAccount } from '../member.ts';

/** Ends all of the caller's sessions, including this one. */
export async function signOutEverywhere(ctx: Context): Promise<void> {
  const { userId } = requireOwnAccount(ctx.actor);
  await ctx.db.$transaction(async (tx) => {
    await endStaffSessions(tx, ctx, { userId }, 'signed_out');
    await record(tx, ctx, { action: 'account.sign_out_everywhere', object: { type: 'StaffUser', id: userId } });
  });
}
