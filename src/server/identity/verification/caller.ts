import type { RequestedBy } from '#server/messages/index.ts';
import type { Context } from '../../core/context.ts';
import { shortenUserAgent } from '../../core/user-agent.ts';

/** Data about the client of a request that is not authenticated yet. */
export type Caller = {
  ip: string;
  userAgent: string | null;
  requestId: string;
  /** The same for a repeated step whose response was lost. */
  idempotencyKey: string | null;
  /** Called once the tenant of the request is known; it decides which websites may read the response. */
  onTenant?: (tenantId: string) => void;
};

/** `Caller` for requests that cannot be repeated by an Idempotency-Key. */
export type CallerInfo = Omit<Caller, 'idempotencyKey'>;

/** Describes the requesting device and the time for a message; holds no text that the client chose. */
export const describeRequest = (ctx: Context, { userAgent }: Pick<Caller, 'userAgent'>): RequestedBy => ({
  device: shortenUserAgent(userAgent),
  at: ctx.clock.now().toISOString(),
});
