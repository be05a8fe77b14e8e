import type { Finding, IntegrationProvider, IntegrationView } from '#contract/settings.ts';
import type { Integration } from '#generated/prisma/client.ts';

export type Details = IntegrationView['details'];

/** A provider's state without its credentials; one that was never connected is `disconnected`. */
export function presentIntegration(provider: IntegrationProvider, row: Integration | null): IntegrationView {
  return {
    provider,
    status: (row?.status as IntegrationView['status'] | undefined) ?? 'disconnected',
    account_id: row?.accountId ?? null,
    details: (row?.settings as Details | undefined) ?? {},
    findings: (row?.findings as Finding[] | undefined) ?? [],
    checked_at: row?.checkedAt?.toISOString() ?? null,
  };
}
