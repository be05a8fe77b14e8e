import type { CareEndingView } from '#contract/care.ts';
import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/**
 * A problem that prevented the end of a patient's care. `for_good`: the provider rejects it, so retrying alone does not
 * help.
 */
export type Problem = CareEndingView['problems'][number] & { for_good: boolean };

/** Stores that a patient's care is ending, since when, and the problems of the last run. */
export async function markEnding(
  tx: Pick<Tx, '$executeRaw'>,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  patientId: string,
  problems: Problem[] = [],
): Promise<void> {
  const now = clock.now();
  await tx.$executeRaw`
    update patients set care_ending_at = coalesce(care_ending_at, ${now}::timestamptz),
      care_ending_problems = ${JSON.stringify(problems)}::jsonb,
      updated_at = case when care_ending_at is null then ${now}::timestamptz else updated_at end
    where tenant_id = ${tenantId}::uuid and id = ${patientId}::uuid`;
}

/** The progress of the end of a patient's care; null when it is not ending. */
export function presentEnding({
  careEndingAt,
  careEndingProblems,
}: Pick<Patient, 'careEndingAt' | 'careEndingProblems'>): Omit<CareEndingView, 'live'> | null {
  if (!careEndingAt) return null;
  const problems = careEndingProblems as unknown as Problem[];
  return {
    since: careEndingAt.toISOString(),
    state: problems.some(({ for_good }) => for_good) ? 'needs_attention' : 'in_progress',
    problems: problems.map(({ provider, code, detail }) => ({ provider, code, detail })),
  };
}
