import type { Finding, IntegrationView } from '#contract/settings.ts';
import type { Integration } from '#generated/prisma/client.ts';

/** What is kept beside the credentials. */
export type AcuityNotes = { name: string | null; time_zone: string; webhook_id: number | null };

export const presentAcuity = (row: Integration): IntegrationView => ({
  provider: 'acuity',
  status: row.status as IntegrationView['status'],
  account_id: row.accountId,
  details: row.settings as AcuityNotes,
  findings: row.findings as Finding[],
  checked_at: row.checkedAt?.toISOString() ?? null,
});
