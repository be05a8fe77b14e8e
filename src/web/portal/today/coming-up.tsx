'use client';
import Link from 'next/link';
import { APPOINTMENT_COLUMNS } from '../appointments/appointment-columns.tsx';
import { useVisits, type VisitFilter } from '../appointments/use-visits.ts';
import { VisitsTable } from '../appointments/visits-table.tsx';
import { usePatientNames } from '../patients/use-patient-names.ts';

export const AT_A_GLANCE = 5;

/** The first appointments of the days after today; renders nothing when there are none. */
export function ComingUp({ filter }: { filter: VisitFilter }) {
  const { rows } = useVisits(filter, AT_A_GLANCE);
  const nameOf = usePatientNames(rows?.map((visit) => visit.patient_id));
  // Waits for the names, like today's appointments above: shown earlier, it would be pushed down by them.
  if (!rows?.length || !nameOf) return null;
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
      <VisitsTable
        size={AT_A_GLANCE}
        label="Visits of the next days"
        columns={APPOINTMENT_COLUMNS}
        filter={filter}
        empty={{ title: 'Nothing booked yet', description: 'Visits of the next days show here.' }}
      />
    </section>
  );
}
