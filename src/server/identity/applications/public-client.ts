import { type Context, contextFor, type Services } from '../../core/context.ts';
import { apiError } from '../../core/errors.ts';
import { isId, NO_TENANT, newId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';
import { clientState } from '../tokens/client-state.ts';
import type { CallerInfo } from '../verification/caller.ts';

const FLOWS = { passwordless: 'Passwordless sign-in', credentials: 'Email and password sign-in' } as const;
export type Flow = keyof typeof FLOWS;

/** Returns one client for each flow, creating missing ones; safe under concurrent requests. */
export async function publicClients(ctx: Context): Promise<Record<Flow, string>> {
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`public-clients:${tenantId}`}, 0))`;
    const clientOf = async (flow: Flow): Promise<string> => {
      const existing = await tx.application.findFirst({ where: { tenantId, kind: flow, revokedAt: null } });
      if (existing) return existing.id;
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

/** A patient's app: its flow, and a context of its tenant without an authenticated patient. */
export type PublicClient = { id: string; flow: Flow; ctx: Context };

/**
 * Finds the app behind a configuration token.
 * @throws `invalid_client` if it is unknown, revoked or of another flow
 */
export async function findPublicClient(
  services: Services,
  clientId: string,
  { requestId, onTenant, ip, userAgent }: CallerInfo,
  flow?: Flow,
): Promise<PublicClient> {
  const id = clientId.toLowerCase();
  const key = `client:${id}`;
  const [tenantId = NO_TENANT] = isId(id)
    ? await services.identity.tenantsOfClients.get(key, () => services.database.tenantsOf(key))
    : [];
  const client = isId(id) ? await clientState(services, tenantId, id) : null;
  const isPublic = client?.kind === 'passwordless' || client?.kind === 'credentials';
  if (!client || client.revokedAt !== null || !isPublic || (flow && client.kind !== flow))
    throw apiError(
      'invalid_client',
      `There is no app with this client_id for this way of signing in; this is ${services.config.environment}.`,
    );
  const ctx = contextFor(services, { kind: 'visitor', tenantId }, { requestId, onTenant, ip, userAgent });
  return { id, flow: client.kind as Flow, ctx };
}

/** Builds the argument of the SDK's `configure()`. It is public, not a secret. */
export function configurationToken({ config, tenantId }: Context, flow: Flow, clientId: string): string {
  const { environment: env, baseUrl: api, issuer: auth } = config;
  const content = { v: 1, env, flow, api, auth, tenant_id: tenantId, client_id: clientId };
  return `care_${env}_${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
}
