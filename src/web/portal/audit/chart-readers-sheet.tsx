'use client';
import { useQuery } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { type ChartReaderView, LIST_ACCESS_DAYS } from '#contract/audit.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { actorName } from './action-labels.ts';

type Props = { patientId: string; name: string; onClose: () => void };

/** Everyone who viewed or changed a patient's record, or was denied access to it. */
export function ChartReadersSheet({ patientId, name, onClose }: Props) {
  const trpc = useTRPC();
  const readers = useQuery(trpc.audit.forPatient.queryOptions({ patient_id: patientId }));
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()} title={`Who has seen the chart of ${name}`}>
      <div className="overflow-y-auto px-5 pb-6">
        {readers.error ? (
          <ErrorState error={readers.error} onRetry={() => void readers.refetch()} />
        ) : !readers.data ? (
          <div className="grid gap-3" aria-busy>
            <Skeleton className="h-14" />
            <Skeleton className="h-14" />
          </div>
        ) : readers.data.length === 0 ? (
          <EmptyState icon={Eye} title="No one yet" description="Everyone who opens this chart shows here." />
        ) : (
          <ul className="divide-y divide-line" aria-label="Who has seen this chart">
            {readers.data.map((reader) => (
              <Reader key={reader.id} reader={reader} />
            ))}
          </ul>
        )}
        <p className="mt-4 text-[13px] text-muted">
          Lists that showed this patient are counted for the last {LIST_ACCESS_DAYS} days.
        </p>
      </div>
    </Sheet>
  );
}

function Reader({ reader }: { reader: ChartReaderView }) {
  const { actor, times, in_lists, refused, first_at, last_at } = reader;
  const counts = [
    times - in_lists > 0 && `${times - in_lists} ${times - in_lists === 1 ? 'time' : 'times'}`,
    in_lists > 0 && `${in_lists} ${in_lists === 1 ? 'time' : 'times'} in a list`,
    refused > 0 && `refused ${refused} ${refused === 1 ? 'time' : 'times'}`,
  ].filter(Boolean);
  return (
    <li className="grid gap-0.5 py-2.5">
      <p className="font-medium wrap-anywhere">{actorName(actor)}</p>
      <p>{counts.join(', ')}</p>
      <p className="text-[13px] text-muted">
        Last <DateTime value={last_at} />
        {first_at !== last_at && (
          <>
            , first <DateTime value={first_at} />
          </>
        )}
      </p>
    </li>
  );
}
