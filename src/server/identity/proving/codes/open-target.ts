import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { targetBoundTo } from './issue-code.ts';

/** What a code puts in force. */
export function openTarget(ctx: Context, { target, person }: OneTimeCode): string {
  if (!target) throw new Error('this code puts nothing in force');
  return ctx.cipher.open(target, targetBoundTo(ctx.tenantId, person));
}
