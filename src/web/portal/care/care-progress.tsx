import { LoaderCircle, TriangleAlert } from 'lucide-react';
import type { CareView } from '#contract/care.ts';
import { careCountLabel, isEmpty } from './care-labels.ts';

/** Progress and problems of ending a patient's care; announced to screen readers. */
export function CareProgress({ care }: { care: CareView }) {
  const counts = { appointments: care.visits.count, subscriptions: care.subscriptions.count };
  const problems = care.ending?.problems ?? [];
  const needsAttention = care.ending?.state === 'needs_attention';
  return (
    <div className="grid gap-3">
      <p role="status" className="flex items-start gap-2">
        {!needsAttention && <LoaderCircle aria-hidden className="mt-0.5 size-4 shrink-0 animate-spin" />}
        {isEmpty(counts) ? 'Everything has ended; finishing up.' : `${careCountLabel(counts)} still to end.`}
      </p>
      {problems.length > 0 && (
        <div role="alert" className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <div className="grid gap-1">
            {problems.map(({ provider, detail }) => (
              <p key={`${provider} ${detail}`}>{detail}</p>
            ))}
            <p>
              {needsAttention
                ? 'Fix this, then try again. Until then the patient is not archived.'
                : 'It is tried again automatically, after longer and longer pauses.'}
            </p>
          </div>
        </div>
      )}
    </div>
  );
}
