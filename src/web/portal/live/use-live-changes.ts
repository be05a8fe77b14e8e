'use client';
import { matchQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { whenIdle } from '#web/ui/when-idle.ts';
import { ownerOf, useTRPC } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import type { Outdated } from './follow-changes.ts';

/** A list with more loaded pages is not refreshed: to refetch all of them would cost too much. */
const MAX_PAGES = 3;

/**
 * Refreshes displayed data that other users change. Starts once the page is idle, and catches up on changes until then.
 */
export function useLiveChanges(): void {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const owner = ownerOf(useMe());
  useEffect(() => {
    const filters: Record<Outdated, { queryKey: readonly unknown[] }[]> = {
      patient: [trpc.patients.pathFilter(), trpc.timeline.pathFilter(), trpc.appointmentMessages.pathFilter()],
      appointment: [
        trpc.appointments.pathFilter(),
        trpc.scheduling.listAvailability.pathFilter(),
        trpc.practitioners.pathFilter(),
        trpc.timeline.pathFilter(),
        trpc.appointmentMessages.pathFilter(),
      ],
      message: [trpc.appointmentMessages.pathFilter(), trpc.timeline.pathFilter()],
      visit: [trpc.visits.pathFilter(), trpc.appointments.pathFilter(), trpc.timeline.pathFilter()],
      subscription: [
        trpc.subscriptions.pathFilter(),
        trpc.payments.pathFilter(),
        trpc.appointments.flags.pathFilter(),
        trpc.timeline.pathFilter(),
      ],
      task: [trpc.tasks.pathFilter(), trpc.timeline.pathFilter()],
      note: [trpc.notes.pathFilter()],
      integration: [trpc.integrations.pathFilter()],
      // Changes cause webhook deliveries as well.
      events: [trpc.events.pathFilter(), trpc.webhooks.pathFilter()],
    };
    const refresh = (outdated: Set<Outdated>) => {
      const all = [...outdated].flatMap((kind) => filters[kind]);
      // At once, so that what several filters match is fetched once.
      void queries.invalidateQueries({
        predicate: (query) => pagesOf(query.state.data) <= MAX_PAGES && all.some((filter) => matchQuery(filter, query)),
      });
    };
    let stop = () => {};
    const cancel = whenIdle(async () => {
      let isActive = true;
      stop = () => {
        isActive = false;
      };
      const { followChanges } = await import('./follow-changes.ts');
      if (isActive) stop = followChanges(owner, refresh);
    });
    return () => {
      cancel();
      stop();
    };
  }, [trpc, queries, owner]);
}

const pagesOf = (data: unknown): number => (data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1;
