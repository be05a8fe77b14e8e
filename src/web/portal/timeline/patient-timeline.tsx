'use client';
import { History, Printer } from 'lucide-react';
import type { TimelineEntryView, TimelineKind } from '#contract/timeline.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { LoadMore } from '#web/ui/pagination.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { TimelineEntries, TimelineSkeleton, useTimeline } from './timeline-entries.tsx';

type View = { value: TimelineKind | ''; label: string; none: string };

const VIEWS: [View, ...View[]] = [
  { value: '', label: 'Everything', none: 'Nothing has happened yet' },
  { value: 'visits', label: 'Appointments', none: 'Nothing about appointments yet' },
  { value: 'subscriptions', label: 'Subscriptions', none: 'Nothing about subscriptions yet' },
  { value: 'messages', label: 'Messages', none: 'Nothing about messages yet' },
  { value: 'sign_in', label: 'Sign-in', none: 'Nothing about signing in yet' },
  { value: 'record', label: 'Record', none: 'Nothing about the record yet' },
];

/** Timeline of a patient, the latest first, with the actor of each entry. */
export function PatientTimeline({ patientId, name }: { patientId: string; name: string }) {
  const [chosen, setChosen] = useQueryParam('timeline');
  const view = VIEWS.find(({ value }) => value === chosen) ?? VIEWS[0];
  const kind = view.value;
  const { rows, firstPage, error, onRetry, stale, more } = useTimeline({
    patient_id: patientId,
    ...(kind && { kind }),
  });
  const planned = firstPage?.planned ?? [];
  return (
    <section aria-labelledby="timeline" className="grid gap-2">
      <div className="flex items-center justify-between gap-3">
        <h2 id="timeline" className="font-semibold">
          What happened
        </h2>
        <Button size="sm" variant="ghost" onClick={() => window.print()}>
          <Printer aria-hidden />
          Print
        </Button>
      </div>
      <Card aria-label={`What happened, ${name}`} className="overflow-hidden">
        <ViewTabs label="What to show" options={VIEWS} value={kind} onChange={setChosen} />
        {error ? (
          <ErrorState error={error} onRetry={onRetry} />
        ) : !rows ? (
          <TimelineSkeleton />
        ) : rows.length + planned.length === 0 ? (
          <div aria-live="polite">
            <EmptyState icon={History} title={view.none} description="What happens shows here at once." />
          </div>
        ) : (
          <>
            <PrintedRange lines={rows} kind={kind && view.label} hasMore={more.hasMore} />
            {planned.length > 0 && <TimelineEntries lines={planned} stale={stale} isPlanned />}
            {rows.length > 0 && (
              <>
                <TimelineEntries lines={rows} stale={stale} />
                <LoadMore {...more} count={rows.length} noun="entry" />
              </>
            )}
          </>
        )}
      </Card>
    </section>
  );
}

/** Print only: the period and the kind of entries that are printed. */
function PrintedRange({ lines, kind, hasMore }: { lines: TimelineEntryView[]; kind: string; hasMore: boolean }) {
  const [newest] = lines;
  const oldest = lines.at(-1);
  if (!newest || !oldest) return null;
  return (
    <p className="hidden px-4 pt-3 print:block">
      {kind ? `${kind}: from` : 'From'} <DateTime value={oldest.at} /> to <DateTime value={newest.at} />.
      {hasMore && ' What happened before is not printed here.'}
    </p>
  );
}
