'use client';
import { useQuery } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { appointmentTime, formatPlainDate } from '#web/ui/format-time.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { RecordError } from '#web/ui/record-error.tsx';
import { PageSkeleton } from '#web/ui/skeleton.tsx';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { LacksDateOfBirth } from './lacks-date-of-birth.tsx';

const loadCall = () => import('./staff-call.tsx').then((module) => module.StaffCall);

/** Page where a practitioner meets the patient of an appointment by video. */
export function VisitCallPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const shown = useQuery(trpc.appointments.show.queryOptions({ id }));
  const appointment = shown.data?.visit;
  const labelOf = usePatientLabels(appointment ? [appointment.patient_id] : []);
  const Call = useLazyComponent(loadCall, true, () => window.location.reload());
  const zone = useReaderZone();
  const href = `/appointments/${id}`;
  const backLink = { href, label: 'The appointment' };
  // Loaded data stays on screen: a call goes on when the page's own query fails.
  if (shown.error && !appointment)
    return (
      <RecordError
        error={shown.error}
        what="appointment"
        icon={CalendarClock}
        back={{ href: '/appointments', label: 'Appointments' }}
        hint="Look for it in the list."
        onRetry={() => void shown.refetch()}
      />
    );
  if (!appointment || !Call || !labelOf) return <PageSkeleton title="Video visit" />;
  const label = labelOf(appointment.patient_id);
  const patient = label?.name ?? 'The patient';
  return (
    <>
      <title>{`Video visit with ${patient} · Carelane`}</title>
      <PageHeader
        back={backLink}
        title={`Video visit with ${patient}`}
        description={[
          label?.birthDate && `Born ${formatPlainDate(label.birthDate)}`,
          appointment.appointment_type,
          appointmentTime(appointment.from_date, zone, appointment.time_zone),
        ]
          .filter(Boolean)
          .join(', ')}
      />
      {shown.data?.lacks_date_of_birth && (
        <div className="mb-5">
          <LacksDateOfBirth patientId={appointment.patient_id} />
        </div>
      )}
      <Call appointment={appointment} patient={patient} href={href} />
    </>
  );
}
