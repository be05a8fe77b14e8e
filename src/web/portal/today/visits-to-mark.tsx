'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { UserX } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import type { AppointmentView } from '#contract/scheduling.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { formatInstant, formatRelative } from '#web/ui/format-time.ts';
import { useMinute } from '#web/ui/use-minute.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { useVisits, type VisitFilter, WHOLE_DAY } from '../appointments/use-visits.ts';
import { VisitDialog } from '../appointments/visit-dialog.tsx';
import { phaseOf } from '../appointments/visit-phase.ts';
import { PatientName } from '../patients/patient-name.tsx';
import { usePatientNames } from '../patients/use-patient-names.ts';
import { idsOfLate, neverCame } from './never-came.ts';

/** From this time after the start, a patient who is not there is late. */
const LATE_MS = 5 * 60_000;

/**
 * Lists today's appointments that began some minutes ago or are over, to note a no-show. Renders nothing when there are
 * none.
 */
export function VisitsToMark({ filter }: { filter: VisitFilter }) {
  const now = useMinute();
  const zone = useReaderZone();
  const { rows } = useVisits(filter, WHOLE_DAY);
  const begun = rows?.filter((visit) => visit.status === 'scheduled' && Date.parse(visit.from_date) + LATE_MS <= now);
  const nameOf = usePatientNames(rows?.map((visit) => visit.patient_id));
  const trpc = useTRPC();
  const late = idsOfLate(begun ?? [], now);
  // Arrivals come as live changes; an appointment that becomes late changes the query.
  const attendance = useQuery({
    ...trpc.visits.attendance.queryOptions({ ids: late }),
    enabled: late.length > 0,
    placeholderData: keepPreviousData,
  });
  const missed = neverCame(attendance.data ?? []);
  const [marking, setMarking] = useState<AppointmentView | null>(null);
  if (!begun?.length || !nameOf) return null;
  return (
    <Card aria-label="Did they come?" className="mt-5 print:hidden">
      <CardHeader
        title="Did they come?"
        description="These visits have begun, and no patient is noted as missing. If all came, there is nothing to do."
      />
      <ul className="divide-y divide-line">
        {begun.map((visit) => (
          <li key={visit.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-48">
              <Link href={`/appointments/${visit.id}`} className="rounded-sm font-medium wrap-anywhere hover:underline">
                <PatientName name={nameOf(visit.patient_id)} />
              </Link>
              <p className="text-[13px] text-muted wrap-anywhere">
                {formatInstant(visit.from_date, 'time', zone)} with {visit.calendar},{' '}
                {phaseOf(visit, now) === 'running' ? `began ${formatRelative(visit.from_date, now)}` : 'over'}
              </p>
              {missed.has(visit.id) && (
                <Badge tone="warn" wraps className="mt-1">
                  The patient was never in the call
                </Badge>
              )}
            </div>
            <Button
              size="sm"
              variant={missed.has(visit.id) ? 'primary' : 'secondary'}
              onClick={() => setMarking(visit)}
            >
              <UserX aria-hidden />
              Did not come
            </Button>
          </li>
        ))}
      </ul>
      {marking && <VisitDialog of="no_show" appointment={marking} onClose={() => setMarking(null)} />}
    </Card>
  );
}
