import type { Context } from '#server/core/context.ts';
import type { Caller } from '../../proving/caller.ts';
import type { SignUpHandle } from '../credentials/find-sign-up.ts';
import { findAttempt, keepAttempt, openAttempt } from './attempt.ts';

/**
 * Lets a device that has proved the password of a sign-up go on with it as its own. The device where it was made goes on
 * too: both say the same.
 */
export async function continueSignUp(
  ctx: Context,
  caller: Caller,
  { clientId, signUp: { key, own } }: { clientId: string; signUp: SignUpHandle },
): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    const made = await findAttempt(tx, ctx, { key });
    if (!made || (await findAttempt(tx, ctx, { key: own }))) return;
    const { person, patientId, madeRecord } = made;
    const content = openAttempt(ctx, made);
    await keepAttempt(tx, ctx, caller, { key: own, person, patientId, clientId, content, madeRecord });
  });
}
