import { type Context, contextFor, type Services } from '../../core/context.ts';
import { apiError } from '../../core/errors.ts';
import { isId, NO_TENANT } from '../../core/ids.ts';
import { clientState } from '../tokens/client-state.ts';
import type { CallerInfo } from '../verification/caller.ts';

export type Flow = 'passwordless' | 'credentials';
/** A patient's app: its flow, and a context of its tenant without an authenticated patient. */
export type PublicClient = { id: string; flow: Flow; ctx: Context };

/**
 * Finds the app behind a configuration token.
 * @throws `invalid_client` if it is unknown, revoked or of another flow
 */
export async function findPublicClient(
  services: Services,
  given: string,
  { requestId, onTenant, ip, userAgent }: CallerInfo,
  flow?: Flow,
): Promise<PublicClient> {
  const id = given.toLowerCase();
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
