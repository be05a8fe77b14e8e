'use client';
import type { StoryKind, StoryLineView } from '#contract/story.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { usePages } from '../use-pages.ts';

const A_PAGE = 30;

type Wanted = { patient_id: string; kind?: StoryKind; object_id?: string };

/** What happened to a patient, or to one visit or subscription of theirs: the latest first, more as it is asked for. */
export function useStory(wanted: Wanted) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = { size: A_PAGE, ...wanted };
  return usePages<StoryLineView>({
    queryKey: trpc.story.list.queryKey(input),
    read: ({ starting_after }, signal) =>
      client.story.list.query({ ...input, ...(starting_after && { starting_after }) }, { signal }),
  });
}
