import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { Context } from '../../core/context.ts';
import { targetBoundTo } from './issue-code.ts';

/** The new address that a code proves. */
export function openTarget(ctx: Context, { target, person }: OneTimeCode): string {
  if (!target) throw new Error('this code proves no address');
  return ctx.cipher.open(target, targetBoundTo(ctx.tenantId, person));
}
