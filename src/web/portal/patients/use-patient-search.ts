'use client';
import { useCallback } from 'react';
import type { PatientsPage } from '#contract/list-patients.ts';
import type { PatientView } from '#contract/patients.ts';
import type { ComboboxOption } from '#web/ui/combobox.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { bornLabel, nameOfPatient } from './patient.ts';

const MAX_OPTIONS = 7;

function useFindPatients() {
  const client = useTRPCClient();
  return useCallback(
    (text: string, signal: AbortSignal): Promise<PatientsPage> =>
      client.patients.list.query({ size: MAX_OPTIONS, ...(text && { search: text }) }, { signal }),
    [client],
  );
}

/** The date of birth and a contact, for a list to choose from. */
export const hintOfPatient = ({ birth_date, email, phone_number }: PatientView): string =>
  [bornLabel(birth_date), email ?? formatPhone(phone_number ?? '')].filter(Boolean).join(', ');

export function patientOption(patient: PatientView): ComboboxOption {
  return { value: patient.id, label: nameOfPatient(patient), hint: hintOfPatient(patient) };
}

/**
 * Patient search for forms. Leaves out patients who are archived or about to be, because nothing new starts for them.
 */
export function usePatientOptions() {
  const find = useFindPatients();
  return useCallback(
    async (text: string, signal: AbortSignal) => {
      const { items, is_similar } = await find(text, signal);
      return items
        .filter((patient) => patient.status !== 'archived' && !patient.care_ending_at)
        .map(patientOption)
        .map((option) => (is_similar ? { ...option, hint: `similar name, ${option.hint}` } : option));
    },
    [find],
  );
}
