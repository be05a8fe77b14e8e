import type { Scope } from '#contract/scopes.ts';
import type { Services } from '../../core/context.ts';
import { idTime } from '../../core/ids.ts';

/** An OAuth client, cached for up to one second. */
export type ClientState = {
  id: string;
  tenantId: string;
  kind: string;
  scopes: Scope[];
  tokensValidAfter: Date;
  revokedAt: Date | null;
  /** Live secrets only; hashes are SHA-256 in hexadecimal. */
  secrets: { id: string; hash: string }[];
};

export function clientState(services: Services, tenantId: string, clientId: string): Promise<ClientState | null> {
  return services.identity.clients.get(`${tenantId}/${clientId}`, async () => {
    const row = await services.database.forTenant(tenantId).application.findUnique({
      where: { id: clientId },
      select: {
        kind: true,
        scopes: true,
        tokensValidAfter: true,
        revokedAt: true,
        secrets: { where: { revokedAt: null }, select: { id: true, hash: true }, orderBy: { createdAt: 'desc' } },
      },
    });
    return row && { ...row, id: clientId, tenantId, scopes: row.scopes as Scope[] };
  });
}

/** Invalidates the cached client in this process; other processes notice within a second. */
export function invalidateClient(services: Services, tenantId: string, clientId: string): void {
  services.identity.clients.invalidate(`${tenantId}/${clientId}`);
}

/**
 * Returns whether a token of this client is still valid: client and secret are not revoked, and the UUIDv7 `jti` dates
 * from after `tokensValidAfter`.
 */
export const acceptsToken = (client: ClientState, token: { jti: string; secret_id?: string }): boolean =>
  client.revokedAt === null &&
  (token.secret_id === undefined || client.secrets.some((secret) => secret.id === token.secret_id)) &&
  idTime(token.jti) >= client.tokensValidAfter.getTime();
