import type { Context } from '../../core/context.ts';
import { shortenUserAgent } from '../../core/user-agent.ts';
import type { Asked } from '../../messages/message.ts';

/** What the door knows of a request before anybody has proved who they are. */
export type Caller = {
  ip: string;
  userAgent: string | null;
  requestId: string;
  /** The same for a repetition of a step whose answer was lost. */
  idempotencyKey: string | null;
  /** Told whose request it turns out to be: which websites may read the answer hangs on it. */
  onTenant?: (tenantId: string) => void;
};

/** The same before there is any step that could be repeated. */
export type Asking = Omit<Caller, 'idempotencyKey'>;

/** What a message says of who asked for it, in words of ours alone. */
export const askedBy = (ctx: Context, { userAgent }: Pick<Caller, 'userAgent'>): Asked => ({
  device: shortenUserAgent(userAgent),
  at: ctx.clock.now().toISOString(),
});
