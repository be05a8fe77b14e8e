import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { sameSecret, sha256 } from '#server/core/crypto.ts';
import { Prisma } from '#server/core/db.ts';
import { type CarelaneError, refuse } from '#server/core/errors.ts';
import { noteFailedSignIn } from '../note-failed-sign-in.ts';
import { personKey } from '../person.ts';
import { CODE_POLICY } from './code-policy.ts';
import { codeHash, type Purpose } from './issue-code.ts';
import { answerSend } from './spend-code.ts';

const { triesPerMessage } = CODE_POLICY;

/** By the challenge that came with it, or by whom and what it is for. */
type Which = { purpose: Purpose } & ({ challenge: string } | { person: string });
type Options = {
  /** Left out where a challenge names the code. */
  clientId?: string;
  /**
   * Whether a wrong code may be told apart from a dead one. Not where anybody may ask about any address: only who has
   * the right code learns there that it is dead.
   */
  tellsState: boolean;
};

/**
 * Counts a try and gives the code if it is right and alive; using it up is the caller's, in its transaction. The count
 * is one statement of its own, so parallel tries all count and none is taken back.
 * Errors: invalid_code, expired_code, too_many_tries.
 */
export async function tryCode(ctx: Context, which: Which, code: string, options: Options): Promise<OneTimeCode> {
  const { tenantId } = ctx;
  const { purpose } = which;
  const where =
    'challenge' in which
      ? { tenantId, purpose, challengeHash: sha256(which.challenge) }
      : { tenantId, purpose, person: personKey(ctx, which.person) };
  const [found] = await ctx.db.oneTimeCode.updateManyAndReturn({ where, data: { tries: { increment: 1 } } });
  const refused = (error: CarelaneError): CarelaneError => {
    if (found?.patientId) noteFailedSignIn(ctx, found.patientId, error.code);
    return error;
  };
  const isRight = found ? sameSecret(found.codeHash, codeHash(ctx, found.hashedAs ?? found.id, code)) : false;
  const isKnown = found !== undefined && (!options.clientId || found.clientId === options.clientId);
  if (!isKnown || (!isRight && !options.tellsState)) throw refused(wrong());
  // Told too late it ends nothing but the wait for another.
  const isExpired = found.expiresAt <= ctx.clock.now();
  const isTriedOut = (await triesOfMessage(ctx, found)) > triesPerMessage;
  const isDead = isExpired || isTriedOut;
  if (isRight && found.patientId !== null && isDead) await answerSend(ctx.db, ctx, found.sendId);
  if (found.tries > triesPerMessage)
    throw refused(refuse('too_many_tries', 'Too many wrong codes. Ask for a new one.'));
  if (isExpired) throw refused(refuse('expired_code', 'This code has expired. Ask for a new one.'));
  // Answered as a wrong one: which requests share a message depends on what was sent, and so on who has an account.
  if (!isRight || isTriedOut || found.patientId === null) throw refused(wrong());
  return found;
}

/** The tries at one message's code, which may stand for several requests. Each try is committed before it is counted here. */
async function triesOfMessage(ctx: Context, { sendId, tries }: OneTimeCode): Promise<number> {
  if (!sendId) return tries;
  const where = { tenantId: ctx.tenantId, sendId };
  const { _sum } = await ctx.db.oneTimeCode.aggregate({ where, _sum: { tries: true } });
  return _sum.tries ?? tries;
}

export const wrong = () => refuse('invalid_code', 'This is not the code that was last asked for on this device.');

/** Somebody else took the address since the code was sent: no patient is told so. */
export function wrongWhenTaken(error: unknown): never {
  throw error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002' ? wrong() : error;
}
