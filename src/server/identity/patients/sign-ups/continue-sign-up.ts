import type { Context } from '#server/core/context.ts';
import type { Caller } from '../../proving/caller.ts';
import type { SignUpHandle } from '../credentials/start.ts';
import { findPendingSignUp, storePendingSignUp, openPendingSignUp } from './attempt.ts';

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
