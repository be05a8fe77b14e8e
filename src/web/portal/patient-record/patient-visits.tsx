'use client';
import { PATIENT_VISIT_COLUMNS } from '../appointments/appointment-columns.tsx';
import { VisitsTable } from '../appointments/visits-table.tsx';

/** Every appointment of a patient: upcoming ones soonest first, then past and canceled ones. */
export function PatientVisits({ patientId, name }: { patientId: string; name: string }) {
  return (
    <>
      <section className="grid gap-2">
        <h2 className="font-semibold">Upcoming visits</h2>
        <VisitsTable
          label={`Visits of ${name}`}
          columns={PATIENT_VISIT_COLUMNS}
          filter={{ patient_id: patientId, period: 'upcoming', sort_by: 'from_date' }}
          empty={{ title: 'No visits booked', description: 'Booked visits show here with their video link.' }}
        />
      </section>
      <section className="grid gap-2">
        <h2 className="font-semibold">Past and canceled visits</h2>
        <VisitsTable
          label={`Past and canceled, ${name}`}
          columns={PATIENT_VISIT_COLUMNS}
          filter={{ patient_id: patientId, period: 'past_or_canceled' }}
          empty={{ title: 'Nothing past yet', description: 'Visits that are over or were called off stay here.' }}
        />
      </section>
    </>
  );
}
