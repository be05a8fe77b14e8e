import type { Actor } from './actor.ts';
import { type Context, systemContext } from './context.ts';

/** Who asked for something, and from where, as it is kept until that is done. */
export type Asker = {
  actor: Record<string, unknown>;
  requestId: string;
  ip: string | null;
  userAgent: string | null;
};

export function askerOf({ actor, requestId, ip, userAgent }: Context): Asker {
  const { scopes: _, ...who } = { scopes: null, ...actor };
  return { actor: who, requestId, ip, userAgent };
}

/** What is written with it stands in the name of who asked. Not for asking whether somebody may: it has no scopes. */
export const inNameOf = (ctx: Context, { actor, requestId, ip, userAgent }: Asker): Context => ({
  ...ctx,
  actor: { scopes: new Set(), ...actor } as unknown as Actor,
  requestId,
  ip,
  userAgent,
  keyed: null,
});

/** What a caller's request finds changed at a provider is not the caller's doing: it is written in the service's name. */
export const inOwnName = (ctx: Context, job: string): Context =>
  ctx.actor.kind === 'system' ? ctx : { ...systemContext(ctx, ctx.tenantId, job), requestId: ctx.requestId };
