import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import type { Caller } from '../caller.ts';
import { reopen } from '../closing/in-a-row.ts';
import { keyedHash } from '../keyed-hash.ts';
import { answerSend } from './answer-send.ts';
import { openTarget } from './open-target.ts';
import { personKey } from './person-key.ts';

/**
 * Takes the code out of use in the caller's transaction: `now`, or `before` when this very request (by its
 * Idempotency-Key) did so already and its answer was lost; null when it was used for something else. It ends the waits of
 * the device that asked for it, and one of a mail lets new devices sign in by password again.
 */
export async function spendCode(
  tx: Tx,
  ctx: Context,
  code: OneTimeCode,
  { idempotencyKey, ip }: Pick<Caller, 'idempotencyKey' | 'ip'>,
): Promise<'now' | 'before' | null> {
  const { id } = code;
  const usedFor = idempotencyKey && keyedHash(ctx, 'idempotency', id, idempotencyKey).toString('hex');
  const { count } = await tx.oneTimeCode.updateMany({
    where: { tenantId: ctx.tenantId, id, usedAt: null },
    data: { usedAt: ctx.clock.now(), usedFor },
  });
  if (count === 1) {
    await answerSend(tx, ctx, code.sendId);
    const person = mailedPerson(ctx, code);
    if (person) await reopen(tx, ctx, person, ip);
    return 'now';
  }
  if (!usedFor) return null;
  return (await tx.oneTimeCode.findUnique({ where: { id } }))?.usedFor === usedFor ? 'before' : null;
}

/** Whose mail the code stood in, as tries of passwords are counted. */
function mailedPerson(ctx: Context, code: OneTimeCode): string | null {
  if (code.purpose === 'confirm' || code.purpose === 'reset') return code.person;
  return code.purpose === 'email' ? personKey(ctx, openTarget(ctx, code)) : null;
}
