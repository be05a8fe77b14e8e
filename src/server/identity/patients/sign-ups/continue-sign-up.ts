import type { Context } from '#server/core/context.ts';
import type { Caller } from '../../verification/caller.ts';
import type { SignUpHandle } from '../credentials/start-srp.ts';
import { findPendingSignUp, openPendingSignUp, storePendingSignUp } from './pending-sign-up.ts';

/** Copies a sign-up to a device that has proved its password; the original device can continue it too. */
export async function continueSignUp(
  ctx: Context,
  caller: Caller,
  { clientId, signUp: { key, own } }: { clientId: string; signUp: SignUpHandle },
): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    const made = await findPendingSignUp(tx, ctx, { key });
    if (!made || (await findPendingSignUp(tx, ctx, { key: own }))) return;
    const { person, patientId, madeRecord } = made;
    const content = openPendingSignUp(ctx, made);
    await storePendingSignUp(tx, ctx, caller, { key: own, person, patientId, clientId, content, madeRecord });
  });
}
