import { contextFor, type Services } from '../../core/context.ts';
import { sameSecret, sha256 } from '../../core/crypto.ts';
import { isId, NO_TENANT } from '../../core/ids.ts';
import { sourceOf } from '../../core/ip-address.ts';
import { assertRateLimit } from '../../core/rate-limiter.ts';
import { recordFailedAttempt } from '../../core/record-access.ts';
import { type ClientState, clientState } from '../tokens/client-state.ts';
import type { CallerInfo } from '../verification/caller.ts';
import { type ClientCredentials, invalidClient } from './token-form.ts';

const NO_SECRETS = [
  { id: NO_TENANT, hash: sha256('') },
  { id: NO_TENANT, hash: sha256('') },
];

export type AuthenticatedClient = { client: ClientState; secretId: string };

/**
 * Authenticates a client and returns it with the id of the matching secret. An unknown client, a wrong secret and a
 * revoked secret get the same response after the same work. Rate limits apply only to wrong secrets and only protect
 * the CPU: 256 random bits cannot be guessed, so an attacker never delays a client with the right secret.
 */
export async function authenticateClient(
  services: Services,
  { clientId: rawClientId, clientSecret }: ClientCredentials,
  caller: CallerInfo,
): Promise<AuthenticatedClient> {
  const source = sourceOf(caller.ip);
  const clientId = rawClientId.toLowerCase();
  if (isId(clientId)) {
    const client = await findClient(services, clientId);
    const secretId = matchSecret(client?.secrets ?? [], clientSecret);
    if (client && secretId && client.revokedAt === null && client.kind === 'server') return { client, secretId };
    if (client) recordWrongSecret(services, client, caller);
  }
  assertRateLimit(
    services,
    { name: 'wrong_client_secrets', key: [clientId, source] },
    { name: 'wrong_client_secrets_from_source', key: [source] },
  );
  throw invalidClient();
}

function recordWrongSecret(services: Services, { id, tenantId }: ClientState, caller: CallerInfo): void {
  const ctx = contextFor(services, { kind: 'visitor', tenantId }, { ...caller, onTenant: () => undefined });
  const object = { type: 'Application', id };
  recordFailedAttempt(ctx, { action: 'applications.authenticate', object, outcome: 'invalid_client' });
}

async function findClient(services: Services, clientId: string): Promise<ClientState | null> {
  const key = `client:${clientId}`;
  const [tenantId] = await services.identity.tenantsOfClients.get(key, () => services.database.tenantsOf(key));
  return clientState(services, tenantId ?? NO_TENANT, clientId);
}

/** Compares with at least as many hashes as a client may have live secrets (two), so that timing does not reveal how many secrets the client has. */
function matchSecret(secrets: ClientState['secrets'], clientSecret: string): string | null {
  const hash = sha256(clientSecret);
  let match: string | null = null;
  for (const secret of [...secrets, ...NO_SECRETS].slice(0, Math.max(secrets.length, NO_SECRETS.length)))
    if (sameSecret(secret.hash, hash) && secret.id !== NO_TENANT) match = secret.id;
  return match;
}
