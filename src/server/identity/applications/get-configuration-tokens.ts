import type { ConfigurationTokensView } from '#contract/settings.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { configurationToken, publicClients } from './public-client.ts';

/** Returns the public strings for `configure()` of the SDK, one per flow. Creates their clients on first use. */
export async function getConfigurationTokens(ctx: Context): Promise<ConfigurationTokensView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const clients = await publicClients(ctx);
  return {
    passwordless: configurationToken(ctx, 'passwordless', clients.passwordless),
    credentials: configurationToken(ctx, 'credentials', clients.credentials),
  };
}
