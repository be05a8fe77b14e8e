import type { ConfigurationTokensView } from '#contract/settings.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { newId } from '../core/ids.ts';
import { record } from '../core/record.ts';

const FLOWS = { passwordless: 'Passwordless sign-in', credentials: 'E-mail and password sign-in' } as const;
type Flow = keyof typeof FLOWS;

/** The public strings for `configure()` of the SDK, one per flow. Their clients are made when first asked for. */
export async function readConfigurationTokens(ctx: Context): Promise<ConfigurationTokensView> {
  requireAdmin(ctx.actor);
  const clients = await publicClients(ctx);
  return {
    passwordless: tokenOf(ctx, 'passwordless', clients.passwordless),
    credentials: tokenOf(ctx, 'credentials', clients.credentials),
  };
}

function tokenOf({ config, tenantId }: Context, flow: Flow, clientId: string): string {
  const { environment: env, baseUrl: api, issuer: auth } = config;
  const content = { v: 1, env, flow, api, auth, tenant_id: tenantId, client_id: clientId };
  return `care_${env}_${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
}

/** One client for each flow, even when several ask first. */
async function publicClients(ctx: Context): Promise<Record<Flow, string>> {
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
