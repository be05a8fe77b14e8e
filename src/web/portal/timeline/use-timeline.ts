'use client';
import type { TimelineEntryView, TimelineKind } from '#contract/timeline.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { usePages } from '../use-pages.ts';

const PAGE_SIZE = 30;

type TimelineFilter = { patient_id: string; kind?: TimelineKind; object_id?: string };

/**
 * Timeline of a patient, or of one appointment or subscription of theirs: the latest first, older entries on request.
 */
export function useTimeline(filter: TimelineFilter) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = { size: PAGE_SIZE, ...filter };
  return usePages<TimelineEntryView>({
    queryKey: trpc.timeline.list.queryKey(input),
    read: ({ starting_after }, signal) =>
      client.timeline.list.query({ ...input, ...(starting_after && { starting_after }) }, { signal }),
  });
}
