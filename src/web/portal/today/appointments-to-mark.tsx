'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { UserX } from 'lucide-react';
import { useState } from 'react';
import type { AppointmentView } from '#contract/scheduling.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { formatInstant, formatRelative } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { phaseOf } from '../appointments/appointment.ts';
import { AppointmentDialog } from '../appointments/appointment-dialog.tsx';
import { type AppointmentFilter, useAppointments, WHOLE_DAY } from '../appointments/use-appointments.ts';
import { useNow } from '../now.tsx';
import { BirthDate, PatientName } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { lateAppointmentIds, likelyNoShows } from './likely-no-shows.ts';

/** From this time after the start, a patient who is not there is late. */
const LATE_MS = 5 * 60_000;

/**
 * Lists today's appointments that began some minutes ago or are over, to note a no-show. Renders nothing when there are
 * none.
 */
export function AppointmentsToMark({ filter }: { filter: AppointmentFilter | null }) {
  const now = useNow();
  const zone = useReaderZone();
  const { rows } = useAppointments(filter, WHOLE_DAY);
  const started = rows?.filter(
    (appointment) => appointment.status === 'scheduled' && Date.parse(appointment.from_date) + LATE_MS <= now,
  );
  const labelOf = usePatientLabels(rows?.map((appointment) => appointment.patient_id));
  const trpc = useTRPC();
  const late = lateAppointmentIds(started ?? [], now);
  // Arrivals come as live changes; an appointment that becomes late changes the query.
  const attendance = useQuery({
    ...trpc.visits.attendance.queryOptions({ ids: late }),
    enabled: late.length > 0,
    placeholderData: keepPreviousData,
  });
  const missed = likelyNoShows(attendance.data ?? []);
  const [toMark, setToMark] = useState<AppointmentView | null>(null);
  if (!started?.length || !labelOf) return null;
  return (
    <Card aria-label="Did they come?" className="mt-5 print:hidden">
      <CardHeader
        title="Did they come?"
        description="These appointments have begun, and no patient is noted as missing. If all came, there is nothing to do."
      />
      <ul className="divide-y divide-line">
        {started.map((appointment) => (
          <li key={appointment.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-48">
              <Link
                href={`/appointments/${appointment.id}`}
                className="rounded-sm font-medium wrap-anywhere hover:underline"
              >
                <PatientName patient={labelOf(appointment.patient_id)} />
              </Link>{' '}
              <BirthDate date={labelOf(appointment.patient_id)?.birthDate} />
              <p className="text-[13px] text-muted wrap-anywhere">
                {formatInstant(appointment.from_date, 'time', zone)} with {appointment.calendar},{' '}
                {phaseOf(appointment, now) === 'running'
                  ? `began ${formatRelative(appointment.from_date, now)}`
                  : 'over'}
              </p>
              {missed.has(appointment.id) && (
                <Badge tone="warn" wraps className="mt-1">
                  The patient was never in the call
                </Badge>
              )}
            </div>
            <Button
              size="sm"
              variant={missed.has(appointment.id) ? 'primary' : 'secondary'}
              onClick={() => setToMark(appointment)}
            >
              <UserX aria-hidden />
              Did not come
            </Button>
          </li>
        ))}
      </ul>
      {toMark && <AppointmentDialog kind="no_show" appointment={toMark} onClose={() => setToMark(null)} />}
    </Card>
  );
}
