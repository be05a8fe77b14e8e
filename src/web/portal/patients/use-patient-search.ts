'use client';
import { useCallback } from 'react';
import type { PatientView } from '#contract/patients.ts';
import type { ComboboxOption } from '#web/ui/combobox.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { bornLabel, nameOfPatient } from './patient.ts';

const MAX_OPTIONS = 7;

function useFindPatients() {
  const client = useTRPCClient();
  return useCallback(
    async (text: string, signal: AbortSignal): Promise<PatientView[]> =>
      (await client.patients.list.query({ size: MAX_OPTIONS, ...(text && { search: text }) }, { signal })).items,
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
    async (text: string, signal: AbortSignal) =>
      (await find(text, signal))
        .filter((patient) => patient.status !== 'archived' && !patient.care_ending_at)
        .map(patientOption),
    [find],
  );
}
