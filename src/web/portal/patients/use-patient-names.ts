'use client';
import { useQuery } from '@tanstack/react-query';
import { statusOptions } from '#web/ui/status-badge.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { nameOfPatient } from './name-of-patient.ts';

/**
 * The names behind the ids of a list, fetched together. Null until the first of them are known: a table that got its names
 * afterwards would move all its columns. Later a name is undefined until it is known.
 */
export function usePatientNames(ids: string[] | undefined): ((id: string) => string | undefined) | null {
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
  if (query.isLoading && !query.data) return null;
  const names = new Map(query.data?.items.map((patient) => [patient.id, nameOfPatient(patient)]));
  return (id) => names.get(id) ?? (query.isFetching ? undefined : 'Unknown patient');
}
