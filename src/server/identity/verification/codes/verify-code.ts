import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { sameSecret, sha256 } from '#server/core/crypto.ts';
import { Prisma } from '#server/core/db.ts';
import { apiError, type CarelaneError } from '#server/core/errors.ts';
import { CODE_POLICY } from '#server/core/rate-limits.ts';
import { recordFailedSignIn } from '../failures.ts';
import { personKey } from '../person.ts';
import { markSendUsed } from './consume-code.ts';
import { codeHash, type Purpose } from './issue-code.ts';

const { attemptsPerMessage } = CODE_POLICY;

/** Identified by its challenge, or by person and purpose. */
type CodeKey = { purpose: Purpose } & ({ challenge: string } | { person: string });
type Options = {
  /** Not needed where a challenge identifies the code. */
  clientId?: string;
  /**
   * Whether the error of a wrong code may reveal that the code is dead. False where any caller may name any address:
   * there, only a caller with the right code learns it.
   */
  revealsState: boolean;
};

/**
 * Counts an attempt and returns the code if it is right and valid; the caller marks it as used in its transaction. The
 * counter is a statement of its own, so concurrent attempts all count and none is rolled back.
 * @throws `invalid_code`, `expired_code`, `too_many_tries`
 */
export async function verifyCode(ctx: Context, key: CodeKey, code: string, options: Options): Promise<OneTimeCode> {
  const { tenantId } = ctx;
  const { purpose } = key;
  const where =
    'challenge' in key
      ? { tenantId, purpose, challengeHash: sha256(key.challenge) }
      : { tenantId, purpose, person: personKey(ctx, key.person) };
  const [issued] = await ctx.db.oneTimeCode.updateManyAndReturn({ where, data: { tries: { increment: 1 } } });
  const rejected = (error: CarelaneError): CarelaneError => {
    if (issued?.patientId) recordFailedSignIn(ctx, issued.patientId, error.code);
    return error;
  };
  const isRight = issued ? sameSecret(issued.codeHash, codeHash(ctx, issued.hashedAs ?? issued.id, code)) : false;
  const isKnown = issued !== undefined && (!options.clientId || issued.clientId === options.clientId);
  if (!isKnown || (!isRight && !options.revealsState)) throw rejected(invalidCode());
  // An expired code only ends the wait for another.
  const isExpired = issued.expiresAt <= ctx.clock.now();
  const isExhausted = (await attemptsOfMessage(ctx, issued)) > attemptsPerMessage;
  const isDead = isExpired || isExhausted;
  if (isRight && issued.patientId !== null && isDead) await markSendUsed(ctx.db, ctx, issued.sendId);
  if (issued.tries > attemptsPerMessage)
    throw rejected(apiError('too_many_tries', 'Too many wrong codes. Ask for a new one.'));
  if (isExpired) throw rejected(apiError('expired_code', 'This code has expired. Ask for a new one.'));
  // The same error as for a wrong code: which requests share a message depends on what was sent, and so on whether the
  // account exists.
  if (!isRight || isExhausted || issued.patientId === null) throw rejected(invalidCode());
  return issued;
}

/**
 * Counts the attempts at the code of one message, which may stand for several requests. Each attempt is committed
 * before this count.
 */
async function attemptsOfMessage(ctx: Context, { sendId, tries }: OneTimeCode): Promise<number> {
  if (!sendId) return tries;
  const where = { tenantId: ctx.tenantId, sendId };
  const { _sum } = await ctx.db.oneTimeCode.aggregate({ where, _sum: { tries: true } });
  return _sum.tries ?? tries;
}

export const invalidCode = () =>
  apiError('invalid_code', 'This is not the code that was last asked for on this device.');

/**
 * Maps a unique violation to a wrong code: another patient took the address since the code was sent, which must not be
 * revealed.
 */
export function invalidCodeWhenTaken(error: unknown): never {
  throw error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002' ? invalidCode() : error;
}
