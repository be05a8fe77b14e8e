'use client';
import { Stat } from '#web/ui/fact.tsx';
import { formatInstant } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { type AppointmentFilter, useAppointments, WHOLE_DAY } from '../appointments/use-appointments.ts';
import { useNow } from '../now.tsx';
import { PatientName } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { figuresOf } from './day.ts';

/** Key figures of the day. */
export function DayFigures({ filter }: { filter: AppointmentFilter | null }) {
  const now = useNow();
  const zone = useReaderZone();
  const { rows, error } = useAppointments(filter, WHOLE_DAY);
  const labelOf = usePatientLabels(rows?.map(({ patient_id }) => patient_id));
  if (error) return null;
  const loading = !rows || !labelOf;
  const { all, missed, coming, next } = figuresOf(rows ?? [], now);
  return (
    <dl className="mb-5 grid grid-cols-[auto_auto_minmax(0,1fr)] gap-3 max-md:gap-2 max-[380px]:grid-cols-2 max-[380px]:*:last:col-span-2 md:grid-cols-[1fr_1fr_2fr]">
      <Stat label="Total" value={all} detail={missed > 0 && `${missed} did not come`} loading={loading} />
      <Stat label="Still to come" value={coming} loading={loading} />
      <Stat
        label="Next"
        value={next ? formatInstant(next.from_date, 'time', zone) : '–'}
        detail={
          next ? (
            <Link href={`/appointments/${next.id}`} className="rounded-sm py-0.5 hover:underline">
              <PatientName patient={labelOf?.(next.patient_id)} />
            </Link>
          ) : (
            <span className="text-muted">No more today</span>
          )
        }
        loading={loading}
      />
    </dl>
  );
}
