'use client';
import { useQuery } from '@tanstack/react-query';
import { statusOptions } from '#portal/ui/status-badge.tsx';
import { useTRPC } from '../trpc-client.tsx';
import { nameOfPatient } from './name-of-patient.ts';

/** The names behind the ids of a list, fetched together; undefined until they are known. */
export function usePatientNames(ids: string[] | undefined): (id: string) => string | undefined {
  const trpc = useTRPC();
  const unique = [...new Set(ids)].sort();
  const query = useQuery({
    ...trpc.patients.list.queryOptions({
      by_id: unique.join(','),
      // History keeps the names of those who have left.
      by_status: statusOptions('patient')
        .map(({ value }) => value)
        .join(','),
      size: Math.max(1, unique.length),
    }),
    enabled: unique.length > 0,
    placeholderData: (previous) => previous,
  });
  const names = new Map(query.data?.items.map((patient) => [patient.id, nameOfPatient(patient)]));
  return (id) => names.get(id) ?? (query.isFetching ? undefined : 'Unknown patient');
}
