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
import { cancelAppointment } from '../steps/cancel-appointment.ts';
import { listAppointments } from '../steps/list-appointments.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

type AppointmentsProps = { patientId: string; go: Go };

export function Appointments({ patientId, go }: AppointmentsProps) {
  const { data: appointments, error, reload } = useLoaded(useCallback(() => listAppointments(patientId), [patientId]));
  if (!appointments) return <Loading error={error} what="your appointments" onRetry={reload} />;
  return (
    <div className="grid gap-4">
      {appointments.length === 0 && (
        <EmptyState icon={Video} title="No upcoming appointments" description="Book one; it has its own video link." />
      )}
      {appointments.length > 0 && (
        <ul aria-label="Your appointments" className="grid gap-3">
          {appointments.map((appointment) => (
            <AppointmentItem
              key={appointment.id}
              appointment={appointment}
              onMove={() => go({ at: 'move', id: appointment.id })}
              onCanceled={reload}
            />
          ))}
        </ul>
      )}
      <Button
        variant={appointments.length === 0 ? 'primary' : 'secondary'}
        size="lg"
        onClick={() => go({ at: 'book' })}
      >
        <CalendarPlus aria-hidden />
        Book an appointment
      </Button>
    </div>
  );
}

type AppointmentItemProps = { appointment: Appointment; onMove: () => void; onCanceled: () => void };

function AppointmentItem({ appointment, onMove, onCanceled }: AppointmentItemProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { pending, error, run } = useAction();
  const cancel = async () => {
    await cancelAppointment(appointment.id);
    onCanceled();
  };
  return (
    <li className="grid gap-3 rounded-xl border border-line bg-raised p-4">
      <div>
        <h3 className="text-base font-semibold">
          <DateTime value={appointment.from_date} calendarZone={appointment.time_zone} />
        </h3>
        <p className="text-muted">
          {appointment.appointment_type} with {appointment.practitioner_name ?? appointment.calendar},{' '}
          {appointment.duration_minutes} minutes
        </p>
      </div>
      <ErrorMessage error={error} />
      {isConfirming ? (
        <div className="flex flex-wrap gap-2">
          <Button variant="danger" pending={pending} onClick={() => void run(cancel)}>
            Cancel this appointment
          </Button>
          <Button disabled={pending} onClick={() => setConfirming(false)}>
            Keep it
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button asChild variant="primary">
            <a href={appointment.video_call_url} target="_blank" rel="noopener noreferrer">
              <Video aria-hidden />
              Join
            </a>
          </Button>
          <Button onClick={onMove}>Move</Button>
          <Button variant="ghost" onClick={() => setConfirming(true)}>
            Cancel
          </Button>
        </div>
      )}
    </li>
  );
}
