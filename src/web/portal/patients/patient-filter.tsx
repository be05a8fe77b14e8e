'use client';
import { Combobox, type ComboboxOption } from '#web/ui/combobox.tsx';
import { usePatientOptions } from './use-patient-search.ts';

type PatientFilterProps = { value: ComboboxOption | null; onChange: (patient: ComboboxOption | null) => void };

/** Filters a table by patient, also an archived one. */
export function PatientFilter({ value, onChange }: PatientFilterProps) {
  const search = usePatientOptions({ withArchived: true });
  return (
    <Combobox
      aria-label="Search by patient"
      value={value}
      onChange={onChange}
      search={search}
      placeholder="Search by patient"
      className="w-full md:w-72"
    />
  );
}
