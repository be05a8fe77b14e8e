'use client';
import { useQuery } from '@tanstack/react-query';
import type { AppointmentFlagsView } from '#contract/appointment-flags.ts';
import { MAX_FLAG_ITEMS } from '#contract/limits.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

/** Splits ids into the parts that one request may ask for. */
const partsOf = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / MAX_FLAG_ITEMS) }, (_, part) =>
    ids.slice(part * MAX_FLAG_ITEMS, (part + 1) * MAX_FLAG_ITEMS),
  );

/**
 * Loads what staff should know of the patients of these appointments. Null until the first are loaded, because badges
 * that appear later would move other content; if they cannot be loaded, there are none.
 */
export function useAppointmentFlags(
  ids: string[] | undefined,
): ((id: string) => AppointmentFlagsView | undefined) | null {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const sorted = [...(ids ?? [])].sort();
  const query = useQuery({
    queryKey: trpc.appointments.flags.queryKey({ ids: sorted }),
    queryFn: async ({ signal }) => {
      const parts = partsOf(sorted).map((part) => client.appointments.flags.query({ ids: part }, { signal }));
      return (await Promise.all(parts)).flat();
    },
    enabled: sorted.length > 0,
    placeholderData: (previous) => previous,
  });
  if (query.isLoading && !query.data) return null;
  const flags = new Map(query.data?.map((one) => [one.appointment_id, one]));
  return (id) => flags.get(id);
}
