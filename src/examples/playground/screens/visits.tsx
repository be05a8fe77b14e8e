'use client';
import { CalendarPlus, Video } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { Loading } from '../loading.tsx';
import type { Go } from '../screen.ts';
import type { Appointment } from '../steps/api-types.ts';
import { cancelVisit } from '../steps/cancel-visit.ts';
import { listVisits } from '../steps/list-visits.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

type VisitsProps = { patientId: string; go: Go };

export function Visits({ patientId, go }: VisitsProps) {
  const { data: visits, error, reload } = useLoaded(useCallback(() => listVisits(patientId), [patientId]));
  if (!visits) return <Loading error={error} what="your visits" onRetry={reload} />;
  return (
    <div className="grid gap-4">
      {visits.length === 0 && (
        <EmptyState icon={Video} title="No visits ahead" description="Book one; it has its own video link." />
      )}
      {visits.length > 0 && (
        <ul aria-label="Your visits" className="grid gap-3">
          {visits.map((visit) => (
            <Visit key={visit.id} visit={visit} onMove={() => go({ at: 'move', id: visit.id })} onCanceled={reload} />
          ))}
        </ul>
      )}
      <Button variant={visits.length === 0 ? 'primary' : 'secondary'} size="lg" onClick={() => go({ at: 'book' })}>
        <CalendarPlus aria-hidden />
        Book a visit
      </Button>
    </div>
  );
}

type VisitProps = { visit: Appointment; onMove: () => void; onCanceled: () => void };

function Visit({ visit, onMove, onCanceled }: VisitProps) {
  const [isAsking, setAsking] = useState(false);
  const { pending, error, run } = useAction();
  const cancel = async () => {
    await cancelVisit(visit.id);
    onCanceled();
  };
  return (
    <li className="grid gap-3 rounded-xl border border-line bg-raised p-4">
      <div>
        <h3 className="text-base font-semibold">
          <DateTime value={visit.from_date} calendarZone={visit.time_zone} />
        </h3>
        <p className="text-muted">
          {visit.appointment_type} with {visit.practitioner_name ?? visit.calendar}, {visit.duration_minutes} minutes
        </p>
      </div>
      <ErrorMessage error={error} />
      {isAsking ? (
        <div className="flex flex-wrap gap-2">
          <Button variant="danger" pending={pending} onClick={() => void run(cancel)}>
            Cancel this visit
          </Button>
          <Button disabled={pending} onClick={() => setAsking(false)}>
            Keep it
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button asChild variant="primary">
            <a href={visit.video_call_url} target="_blank" rel="noopener noreferrer">
              <Video aria-hidden />
              Join
            </a>
          </Button>
          <Button onClick={onMove}>Move</Button>
          <Button variant="ghost" onClick={() => setAsking(true)}>
            Cancel
          </Button>
        </div>
      )}
    </li>
  );
}
