'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, UserX } from 'lucide-react';
import { useState } from 'react';
import type { AppointmentMark, AppointmentView } from '#contract/scheduling.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { formatInstant, formatRelative } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { MARK_LABELS, phaseOf, shownStatus } from '../appointments/appointment.ts';
import { type AppointmentFilter, useAppointments, WHOLE_DAY } from '../appointments/use-appointments.ts';
import { useMarkAppointment } from '../appointments/use-mark-appointment.ts';
import { useNow } from '../now.tsx';
import { BirthDate, PatientName } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { lateAppointmentIds, likelyNoShows } from './likely-no-shows.ts';

/** From this time after the start, a patient who is not there is late. */
const LATE_MS = 5 * 60_000;

/**
 * Lists today's appointments that began some minutes ago or are over and of which nothing is noted yet. Those that are
 * marked here stay, so that none moves under the pointer. Renders nothing when there are none.
 */
export function AppointmentsToMark({ filter }: { filter: AppointmentFilter | null }) {
  const now = useNow();
  const zone = useReaderZone();
  const { rows } = useAppointments(filter, WHOLE_DAY);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const started = rows?.filter(
    (appointment) =>
      Date.parse(appointment.from_date) + LATE_MS <= now &&
      (isOpen(appointment) || (marked.has(appointment.id) && appointment.status !== 'canceled')),
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
  if (!started?.length || !labelOf) return null;
  return (
    <Card aria-label="Did they come?" className="mt-5 print:hidden">
      <CardHeader
        title="Did they come?"
        description="These appointments have begun, and nothing is noted of them yet. If all came, there is nothing to do."
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
              {isOpen(appointment) && missed.has(appointment.id) && (
                <Badge tone="warn" wraps className="mt-1">
                  The patient was never in the call
                </Badge>
              )}
            </div>
            {isOpen(appointment) ? (
              <MarkButtons
                id={appointment.id}
                isMissed={missed.has(appointment.id)}
                onMark={() => setMarked((before) => new Set(before).add(appointment.id))}
              />
            ) : (
              <StatusBadge kind="appointment" status={shownStatus(appointment)} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const isOpen = (appointment: AppointmentView): boolean => shownStatus(appointment) === 'scheduled';

type MarkButtonsProps = { id: string; isMissed: boolean; onMark: () => void };

function MarkButtons({ id, isMissed, onMark }: MarkButtonsProps) {
  const { mark } = useMarkAppointment(id);
  const run = (what: AppointmentMark) => {
    onMark();
    mark(what);
  };
  return (
    <span className="flex flex-wrap gap-2">
      <Button size="sm" onClick={() => run('completed')}>
        <Check aria-hidden />
        {MARK_LABELS.completed.mark}
      </Button>
      <Button size="sm" variant={isMissed ? 'primary' : 'secondary'} onClick={() => run('no_show')}>
        <UserX aria-hidden />
        {MARK_LABELS.no_show.mark}
      </Button>
    </span>
  );
}
