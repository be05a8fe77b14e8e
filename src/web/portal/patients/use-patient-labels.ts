'use client';
import { useQuery } from '@tanstack/react-query';
import type { PatientView } from '#contract/patients.ts';
import { statusOptions } from '#web/ui/status-badge.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { labelOfPatient, type PatientLabel } from './patient.ts';

const UNKNOWN: PatientLabel = { name: 'Unknown patient', birthDate: null, phone: null };

type LoadedLabels = { ids: string[]; patients: PatientView[] | undefined; isFetching: boolean };

/** Finds a patient's label among the loaded ones; undefined while it loads, and for an id that is not in the list. */
export function findLabel(id: string, { ids, patients, isFetching }: LoadedLabels): PatientLabel | undefined {
  const patient = patients?.find((loaded) => loaded.id === id);
  if (patient) return labelOfPatient(patient);
  return isFetching || !ids.includes(id) ? undefined : UNKNOWN;
}

/**
 * Loads names, dates of birth and phone numbers for the ids of a list in one query. Null until the first are loaded, because a table
 * without names would resize its columns; after that, a label is undefined until loaded, and for an id that is not in the list.
 */
export function usePatientLabels(ids: string[] | undefined): ((id: string) => PatientLabel | undefined) | null {
  const trpc = useTRPC();
  const unique = [...new Set(ids)].sort();
  const query = useQuery({
    ...trpc.patients.list.queryOptions({
      by_id: unique.join(','),
      // Includes archived patients, whose names past records still show.
      by_status: statusOptions('patient')
        .map(({ value }) => value)
        .join(','),
      size: Math.max(1, unique.length),
    }),
    enabled: unique.length > 0,
    placeholderData: (previous) => previous,
  });
  if (query.isLoading && !query.data) return null;
  return (id) => findLabel(id, { ids: unique, patients: query.data?.items, isFetching: query.isFetching });
}
