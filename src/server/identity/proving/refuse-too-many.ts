import type { Context } from '../../core/context.ts';
import { countTry, limitKey } from '../../core/count-try.ts';
import { sourceOf } from '../../core/network-of.ts';
import type { Caller } from './caller.ts';

/** At most so many steps of one kind a minute from one place, whomever they name: `rate_limited`. */
export function refuseTooMany(ctx: Context, step: string, { ip }: Pick<Caller, 'ip'>, perMinute: number): void {
  countTry(ctx, limitKey(step, ctx.tenantId, sourceOf(ip)), perMinute);
}
