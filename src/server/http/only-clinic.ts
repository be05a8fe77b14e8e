import type { ConfigurationTokensView } from '#contract/settings.ts';
import { type Services, systemContext } from '../core/context.ts';
import { readConfigurationTokens } from '../identity/applications/read-configuration-tokens.ts';

/**
 * The configuration tokens of a deployment's only clinic, so that a newcomer's sandbox opens without looking for them;
 * null when there are several. They are public: every app ships them.
 */
export async function onlyClinicTokens(services: Services): Promise<ConfigurationTokensView | null> {
  const [tenantId, ...others] = await services.database.tenantsOf('tenants');
  if (!tenantId || others.length > 0) return null;
  return readConfigurationTokens(systemContext(services, tenantId, 'playground'));
}
