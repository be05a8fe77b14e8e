import { assertRateLimit, limitKey } from '../../core/assert-rate-limit.ts';
import type { Context } from '../../core/context.ts';
import { sourceOf } from '../../core/ip-address.ts';
import type { Caller } from './caller.ts';

/**
 * Limits steps of one kind per source and minute, over all accounts.
 * @throws `rate_limited`
 */
export function assertWithinLimit(ctx: Context, step: string, { ip }: Pick<Caller, 'ip'>, perMinute: number): void {
  assertRateLimit(ctx, limitKey(step, ctx.tenantId, sourceOf(ip)), perMinute);
}
