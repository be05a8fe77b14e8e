'use client';
import type { ListAppointmentsInput } from '#contract/scheduling.ts';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';
import { usePages } from '../use-pages.ts';

export type VisitFilter = Pick<ListAppointmentsInput, 'patient_id' | 'scheduled_after' | 'scheduled_before' | 'status'>;
/** As the server gives them (latest first), or by the clock, for a single day. */
export type VisitOrder = 'latest' | 'soonest';

/** A day is read whole, so that it can be put in order. */
const SIZES: Record<VisitOrder, number> = { latest: 20, soonest: 1000 };

/** Visits, in the words of DataTable. Two parts of a page that ask for the same share one answer. */
export function useVisits(filter: VisitFilter, order: VisitOrder) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = { ...filter, size: SIZES[order] };
  const { rows, ...list } = usePages({
    queryKey: trpc.appointments.list.queryKey(input),
    read: (starting_after, signal) => client.appointments.list.query({ ...input, starting_after }, { signal }),
  });
  return { ...list, rows: order === 'soonest' ? rows?.toSorted(byTime) : rows };
}

function byTime(a: { from_date: string }, b: { from_date: string }) {
  return Date.parse(a.from_date) - Date.parse(b.from_date);
}
