'use client';
import { useCallback } from 'react';
import type { PatientsPage } from '#contract/list-patients.ts';
import type { PatientView } from '#contract/patients.ts';
import type { ComboboxOption } from '#web/ui/combobox.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { statusLabel, statusOptions } from '#web/ui/status-badge.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { bornLabel, nameOfPatient } from './patient.ts';

const MAX_OPTIONS = 7;
const ANY_STATUS = statusOptions('patient')
  .map(({ value }) => value)
  .join(',');

function useFindPatients(withArchived: boolean) {
  const client = useTRPCClient();
  return useCallback(
    (text: string, signal: AbortSignal): Promise<PatientsPage> =>
      client.patients.list.query(
        { size: MAX_OPTIONS, ...(text && { search: text }), ...(withArchived && { by_status: ANY_STATUS }) },
        { signal },
      ),
    [client, withArchived],
  );
}

/** The date of birth and a contact, for a list to choose from, and that the patient is archived. */
export const hintOfPatient = ({ status, birth_date, email, phone_number }: PatientView): string =>
  [
    status === 'archived' && statusLabel('patient', status).toLowerCase(),
    bornLabel(birth_date),
    email ?? formatPhone(phone_number ?? ''),
  ]
    .filter(Boolean)
    .join(', ');

export function patientOption(patient: PatientView): ComboboxOption {
  return { value: patient.id, label: nameOfPatient(patient), hint: hintOfPatient(patient) };
}

/**
 * Patient search for forms. Leaves out patients who are archived or about to be, because nothing new starts for them;
 * `withArchived` is for filters of lists, which hold their past.
 */
export function usePatientOptions({ withArchived = false } = {}) {
  const find = useFindPatients(withArchived);
  return useCallback(
    async (text: string, signal: AbortSignal) => {
      const { items, is_similar } = await find(text, signal);
      return items
        .filter((patient) => withArchived || (patient.status !== 'archived' && !patient.care_ending_at))
        .map(patientOption)
        .map((option) => (is_similar ? { ...option, hint: `similar name, ${option.hint}` } : option));
    },
    [find, withArchived],
  );
}
