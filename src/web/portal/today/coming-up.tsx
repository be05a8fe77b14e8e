'use client';
import { Link } from '#web/ui/link.tsx';
import { APPOINTMENT_COLUMNS } from '../appointments/appointment-columns.tsx';
import { AppointmentsTable } from '../appointments/appointments-table.tsx';
import { type AppointmentFilter, useAppointments } from '../appointments/use-appointments.ts';
import { usePatientLabels } from '../patients/use-patient-labels.ts';

export const MAX_COMING_UP = 5;

/** The first appointments of the days after today; renders nothing when there are none. */
export function ComingUp({ filter }: { filter: AppointmentFilter }) {
  const { rows } = useAppointments(filter, MAX_COMING_UP);
  const labelOf = usePatientLabels(rows?.map((appointment) => appointment.patient_id));
  // Waits for the names, like today's appointments above: shown earlier, it would be pushed down by them.
  if (!rows?.length || !labelOf) return null;
  return (
    <section aria-labelledby="coming-up" className="mt-7">
      <div className="mb-2 flex items-baseline justify-between gap-3">
        <h2 id="coming-up" className="font-semibold">
          Coming up
        </h2>
        <Link href="/appointments" className="inline-block py-0.5 text-[13px] text-accent-ink hover:underline">
          All appointments
        </Link>
      </div>
      <AppointmentsTable
        size={MAX_COMING_UP}
        label="Appointments of the next days"
        columns={APPOINTMENT_COLUMNS}
        filter={filter}
        empty={{ title: 'Nothing booked yet', description: 'Appointments of the next days show here.' }}
      />
    </section>
  );
}
