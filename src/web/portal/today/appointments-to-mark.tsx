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
import type { PatientLabel } from '../patients/patient.ts';
import { BirthDate, PatientName } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { earlierToMark, MAX_EARLIER, type Marked } from './earlier-to-mark.ts';
import { lateAppointmentIds, likelyNoShows } from './likely-no-shows.ts';

/** From this time after the start, a patient who is not there is late. */
const LATE_MS = 5 * 60_000;

/** One more than are shown, to know whether there are more. */
export const EARLIER_SIZE = MAX_EARLIER + 1;

type AppointmentsToMarkProps = {
  /** Today's appointments. */
  filter: AppointmentFilter | null;
  /** Those of the days before of which nothing is noted, the latest first. */
  earlier: AppointmentFilter | null;
  /** Lists all of the days before. */
  earlierHref: string;
};

/**
 * Lists appointments of which nothing is noted yet: today's that began some minutes ago or are over, then, in one line to
 * open, the latest of the days before: a clinic that notes only no-shows always has some. Those that are marked here stay,
 * so that none moves under the pointer. Renders nothing when there are none.
 */
export function AppointmentsToMark({ filter, earlier, earlierHref }: AppointmentsToMarkProps) {
  const now = useNow();
  const { rows } = useAppointments(filter, WHOLE_DAY);
  const { rows: unmarked } = useAppointments(earlier, EARLIER_SIZE);
  const [marked, setMarked] = useState<Marked<AppointmentView>>(new Map());
  const started = rows?.filter(
    (appointment) =>
      Date.parse(appointment.from_date) + LATE_MS <= now &&
      (isOpen(appointment) || (marked.has(appointment.id) && appointment.status !== 'canceled')),
  );
  const hasMore = (unmarked?.length ?? 0) > MAX_EARLIER;
  const before = earlierToMark(unmarked ?? [], marked, rows ?? []);
  const labelOf = usePatientLabels(rows?.map((appointment) => appointment.patient_id));
  const labelOfEarlier = usePatientLabels(
    [...(unmarked ?? []), ...before].map((appointment) => appointment.patient_id),
  );
  const trpc = useTRPC();
  const late = lateAppointmentIds([...before.toReversed(), ...(started ?? [])], now);
  // Arrivals come as live changes; an appointment that becomes late changes the query.
  const attendance = useQuery({
    ...trpc.visits.attendance.queryOptions({ ids: late }),
    enabled: late.length > 0,
    placeholderData: keepPreviousData,
  });
  const missed = likelyNoShows(attendance.data ?? []);
  if (!labelOf || !labelOfEarlier || (!started?.length && before.length === 0)) return null;
  const rowOf = (appointment: AppointmentView, patient: PatientLabel | undefined, shape: 'time' | 'datetime') => (
    <RowToMark
      key={appointment.id}
      appointment={appointment}
      patient={patient}
      shape={shape}
      isMissed={missed.has(appointment.id)}
      onMark={(mark) => setMarked((marks) => withMark(marks, appointment, mark))}
    />
  );
  return (
    <Card aria-label="Did they come?" className="mt-5 print:hidden">
      <CardHeader
        title="Did they come?"
        description="These appointments have begun, and nothing is noted of them yet."
      />
      {started && started.length > 0 && (
        <ul className="divide-y divide-line">{started.map((one) => rowOf(one, labelOf(one.patient_id), 'time'))}</ul>
      )}
      {before.length > 0 && (
        <details className="border-line [ul+&]:border-t">
          <summary className="cursor-pointer rounded-sm px-4 py-2.5 text-[13px] text-muted">
            {hasMore && 'More than '}
            {before.filter(isOpen).length} from the last 7 days
          </summary>
          <ul className="divide-y divide-line">
            {before.map((one) => rowOf(one, labelOfEarlier(one.patient_id), 'datetime'))}
          </ul>
          {hasMore && (
            <p className="border-t border-line px-4 py-2.5">
              <Link href={earlierHref} className="inline-block py-0.5 text-[13px] text-accent-ink hover:underline">
                All of the last 7 days
              </Link>
            </p>
          )}
        </details>
      )}
    </Card>
  );
}

/** Null takes the mark back. */
function withMark(
  marks: Marked<AppointmentView>,
  appointment: AppointmentView,
  mark: AppointmentMark | null,
): Marked<AppointmentView> {
  const changed = new Map(marks);
  if (mark) changed.set(appointment.id, asMarked(appointment, mark));
  else changed.delete(appointment.id);
  return changed;
}

/** As the server returns it once it is marked; shown where it is not listed any more. */
const asMarked = (appointment: AppointmentView, mark: AppointmentMark): AppointmentView =>
  mark === 'no_show' ? { ...appointment, status: 'no_show' } : { ...appointment, completed_at: appointment.to_date };

const isOpen = (appointment: AppointmentView): boolean => shownStatus(appointment) === 'scheduled';

type RowToMarkProps = {
  appointment: AppointmentView;
  patient: PatientLabel | undefined;
  /** With the day, for one of the days before. */
  shape: 'time' | 'datetime';
  /** Whether the patient seems to have stayed away. */
  isMissed: boolean;
  onMark: (mark: AppointmentMark | null) => void;
};

function RowToMark({ appointment, patient, shape, isMissed, onMark }: RowToMarkProps) {
  const now = useNow();
  const zone = useReaderZone();
  const { id, calendar, from_date } = appointment;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-48">
        <Link href={`/appointments/${id}`} className="rounded-sm font-medium wrap-anywhere hover:underline">
          <PatientName patient={patient} />
        </Link>{' '}
        <BirthDate date={patient?.birthDate} />
        <p className="text-[13px] text-muted wrap-anywhere">
          {formatInstant(from_date, shape, zone)} with {calendar}
          {shape === 'time' &&
            (phaseOf(appointment, now) === 'running' ? `, began ${formatRelative(from_date, now)}` : ', over')}
        </p>
        {isOpen(appointment) && isMissed && (
          <Badge tone="warn" wraps className="mt-1">
            The patient was never in the call
          </Badge>
        )}
      </div>
      {isOpen(appointment) ? (
        <MarkButtons id={id} name={patient?.name ?? ''} isMissed={isMissed} onMark={onMark} />
      ) : (
        <StatusBadge kind="appointment" status={shownStatus(appointment)} />
      )}
    </li>
  );
}

type MarkButtonsProps = Pick<RowToMarkProps, 'isMissed' | 'onMark'> & { id: string; name: string };

function MarkButtons({ id, name, isMissed, onMark }: MarkButtonsProps) {
  const { mark } = useMarkAppointment(id);
  const run = async (what: AppointmentMark) => {
    onMark(what);
    if (!(await mark(what))) onMark(null);
  };
  // The same words in each row would not be told apart by a screen reader.
  const labelOf = (what: AppointmentMark) => `${MARK_LABELS[what].mark}, ${name}`;
  return (
    <span className="flex flex-wrap gap-2">
      <Button size="sm" aria-label={labelOf('completed')} onClick={() => void run('completed')}>
        <Check aria-hidden />
        {MARK_LABELS.completed.mark}
      </Button>
      <Button
        size="sm"
        variant={isMissed ? 'primary' : 'secondary'}
        aria-label={labelOf('no_show')}
        onClick={() => void run('no_show')}
      >
        <UserX aria-hidden />
        {MARK_LABELS.no_show.mark}
      </Button>
    </span>
  );
}
