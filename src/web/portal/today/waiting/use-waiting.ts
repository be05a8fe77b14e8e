'use client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { WaitingView } from '#contract/visits.ts';
import { useTRPC } from '../../../trpc-client.tsx';
import { useMe } from '../../me.tsx';
import { callsFor, createArrivals } from './arrivals.ts';
import { isBellOn } from './bell-choice.ts';
import { lookAgainIn } from './look-again.ts';
import { notify } from './notify.ts';
import { ring } from './ring.ts';
import { countInTitle } from './title-count.ts';

/**
 * Patients who wait now, in the order of the appointments; undefined until loaded. Also updated while the page is
 * hidden. The portal's live stream reports changes, which are then requested at once.
 */
export function useWaiting(): WaitingView[] | undefined {
  const trpc = useTRPC();
  const { user } = useMe();
  const { data } = useQuery({
    ...trpc.visits.waiting.queryOptions({}),
    refetchInterval: ({ state }) => lookAgainIn(state.data),
    refetchIntervalInBackground: true,
  });
  const arrivals = useRef(createArrivals());
  const { id, role } = user;
  useEffect(() => {
    if (!data) return;
    const mine = callsFor(data, { id, role });
    const come = arrivals.current(mine);
    for (const one of come) notify(one);
    if (come.length > 0 && isBellOn()) void ring();
    return countInTitle(mine.length);
  }, [data, id, role]);
  return data;
}
