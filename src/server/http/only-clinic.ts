import type { ConfigurationTokensView } from '#contract/settings.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { type Services, systemContext } from '../core/context.ts';

/**
 * Returns the configuration tokens of a deployment's only clinic, so that a new developer's sandbox works without a
 * search for them; null with several clinics. They are public: every app ships them.
 */
export async function onlyClinicTokens(services: Services): Promise<ConfigurationTokensView | null> {
  const [tenantId, ...others] = await services.database.tenantsOf('tenants');
  if (!tenantId || others.length > 0) return null;
  return getConfigurationTokens(systemContext(services, tenantId, 'playground'));
}
