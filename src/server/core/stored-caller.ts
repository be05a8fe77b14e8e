import type { Actor } from './actor.ts';
import { type Context, systemContext } from './context.ts';

/** The caller of a request and its origin, stored until the work is done. */
export type StoredCaller = {
  actor: Record<string, unknown>;
  requestId: string;
  ip: string | null;
  userAgent: string | null;
};

export function storedCallerOf({ actor, requestId, ip, userAgent }: Context): StoredCaller {
  const { scopes: _, ...who } = { scopes: null, ...actor };
  return { actor: who, requestId, ip, userAgent };
}

/** Returns a context that writes in the original caller's name. It has no scopes: do not use it for authorization. */
export const asStoredCaller = (ctx: Context, { actor, requestId, ip, userAgent }: StoredCaller): Context => ({
  ...ctx,
  actor: { scopes: new Set(), ...actor } as unknown as Actor,
  requestId,
  ip,
  userAgent,
  keyed: null,
});

/** Returns a context in the service's name, for changes that a request merely discovers at a provider. */
export const asService = (ctx: Context, job: string): Context =>
  ctx.actor.kind === 'system' ? ctx : { ...systemContext(ctx, ctx.tenantId, job), requestId: ctx.requestId };
