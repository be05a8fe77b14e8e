import type { Context } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';

const FLOWS = { passwordless: 'Passwordless sign-in', credentials: 'Email and password sign-in' } as const;
export type Flow = keyof typeof FLOWS;

/** Returns one client for each flow, creating missing ones; safe under concurrent requests. */
export async function publicClients(ctx: Context): Promise<Record<Flow, string>> {
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`public-clients:${tenantId}`}, 0))`;
    const clientOf = async (flow: Flow): Promise<string> => {
      const known = await tx.application.findFirst({ where: { tenantId, kind: flow, revokedAt: null } });
      if (known) return known.id;
      const now = ctx.clock.now();
      const id = newId(now);
      await tx.application.create({
        data: { id, tenantId, kind: flow, name: FLOWS[flow], scopes: [], tokensValidAfter: now, createdAt: now },
      });
      await tx.tenantRoute.create({ data: { key: `client:${id}`, tenantId } });
      await record(tx, ctx, {
        action: 'applications.create',
        object: { type: 'Application', id },
        details: { name: FLOWS[flow] },
      });
      return id;
    };
    return { passwordless: await clientOf('passwordless'), credentials: await clientOf('credentials') };
  });
}
