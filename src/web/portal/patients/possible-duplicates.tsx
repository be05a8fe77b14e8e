import type { DuplicatePatient } from '#contract/duplicate-patients.ts';
import { Link } from '#web/ui/link.tsx';
import { nameOfPatient } from './patient.ts';
import { PatientStatus } from './patient-labels.tsx';
import { hintOfPatient } from './use-patient-search.ts';

const SAME: Record<DuplicatePatient['same'][number], string> = {
  email: 'Same email',
  phone_number: 'Same phone number',
  birth_date: 'Same date of birth and a similar name',
};

/** Patients on record who may be the one to be added. Each opens in a tab of its own, so that the form stays. */
export function PossibleDuplicates({ patients }: { patients: DuplicatePatient[] }) {
  return (
    <ul aria-label="Patients on record" className="divide-y divide-line rounded-md border border-line">
      {patients.map((patient) => (
        <li key={patient.id} className="flex items-start justify-between gap-3 px-3 py-2">
          <div className="min-w-0">
            <Link
              href={`/patients/${patient.id}`}
              target="_blank"
              className="rounded-sm font-medium wrap-anywhere hover:underline"
            >
              {nameOfPatient(patient)}
            </Link>
            <p className="text-[13px] text-muted wrap-anywhere">{hintOfPatient(patient)}</p>
            <p className="text-[13px]">{patient.same.map((field) => SAME[field]).join('. ')}</p>
          </div>
          <PatientStatus patient={patient} />
        </li>
      ))}
    </ul>
  );
}
