import type { Context } from '../../core/context.ts';
import type { Asked } from '../../messages/message.ts';
import type { Caller } from './caller.ts';
import { shortenUserAgent } from './shorten-user-agent.ts';

/** What a message says of who asked for it, in words of ours alone. */
export const askedBy = (ctx: Context, { userAgent }: Pick<Caller, 'userAgent'>): Asked => ({
  device: shortenUserAgent(userAgent),
  at: ctx.clock.now().toISOString(),
});
