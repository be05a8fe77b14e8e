import type { Finding, IntegrationProvider, IntegrationView } from '#contract/integrations.ts';
import type { Integration } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';

export type Details = IntegrationView['details'];
/** The `settings` column: details from the provider, and the requirements that it still has. */
type StoredSettings = Details & { requirements?: string[] };

/** Presents a provider's state without its credentials; one that was never connected is `disconnected`. */
export function presentIntegration(
  { config }: Pick<Context, 'config'>,
  provider: IntegrationProvider,
  row: Integration | null,
): IntegrationView {
  const { requirements = [], ...details } = (row?.settings as StoredSettings | undefined) ?? {};
  return {
    provider,
    status: (row?.status as IntegrationView['status'] | undefined) ?? 'disconnected',
    account_id: row?.accountId ?? null,
    publishable_key: provider === 'stripe' ? config.stripe.publishableKey : null,
    details: details as Details,
    requirements,
    findings: (row?.findings as Finding[] | undefined) ?? [],
    checked_at: row?.checkedAt?.toISOString() ?? null,
  };
}
