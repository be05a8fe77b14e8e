import type { Context } from '../../core/context.ts';
import type { Flow } from './public-clients.ts';

/** Builds the argument of the SDK's `configure()`. It is public, not a secret. */
export function configurationToken({ config, tenantId }: Context, flow: Flow, clientId: string): string {
  const { environment: env, baseUrl: api, issuer: auth } = config;
  const content = { v: 1, env, flow, api, auth, tenant_id: tenantId, client_id: clientId };
  return `care_${env}_${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
}
