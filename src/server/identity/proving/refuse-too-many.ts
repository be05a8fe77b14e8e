import type { Context } from '../../core/context.ts';
import { CarelaneError } from '../../core/errors.ts';
import { sourceOf } from '../../core/network-of.ts';
import { limitKey, sharedLimiter } from '../../core/shared-limiter.ts';
import type { Caller } from './caller.ts';

/** At most so many steps of one kind a minute from one place, whomever they name: `rate_limited`. */
export function refuseTooMany(ctx: Context, step: string, { ip }: Pick<Caller, 'ip'>, perMinute: number): void {
  const state = sharedLimiter(ctx).take(limitKey(step, ctx.tenantId, sourceOf(ip)), perMinute);
  if (!state.allowed)
    throw new CarelaneError(
      { code: 'rate_limited', detail: `Too many tries; wait ${state.resetSeconds} seconds.` },
      { headers: { 'retry-after': String(state.resetSeconds) } },
    );
}
