'use client';
import { useQuery } from '@tanstack/react-query';
import { Video } from 'lucide-react';
import Link from 'next/link';
import { useEffect, useRef } from 'react';
import type { WaitingView } from '#contract/visits.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { formatInstant, formatRelative } from '#web/ui/format-time.ts';
import { useMinute } from '#web/ui/use-minute.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../../trpc-client.tsx';
import { useMe } from '../../me.tsx';
import { ring, showCountInTitle, showNotification } from './alerts.ts';
import { createArrivalTracker, pollIntervalMs, waitingFor } from './arrivals.ts';
import { isBellOn } from './bell-setting.ts';

/** Patients who wait for their video visits now, the next one first; empty when there are none. */
export function WaitingNow() {
  const waiting = useWaiting();
  const now = useMinute();
  const zone = useReaderZone();
  const count = waiting?.length ?? 0;
  return (
    <>
      <p role="status" className="sr-only">
        {count > 0 && (count === 1 ? 'A patient is waiting' : `${count} patients are waiting`)}
      </p>
      {waiting && count > 0 && (
        <Card aria-label="Patients waiting now" className="mb-5 print:hidden">
          <CardHeader title="Patients waiting now" />
          <ol className="divide-y divide-line">
            {waiting.map((arrival) => (
              <li key={arrival.appointment_id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
                <div className="min-w-0 flex-1 basis-48">
                  <p className="flex flex-wrap items-center gap-2">
                    <Link
                      href={`/appointments/${arrival.appointment_id}`}
                      className="rounded-sm font-medium wrap-anywhere hover:underline"
                    >
                      {arrival.patient_name || 'Without a name'}
                    </Link>
                    {arrival.is_away && <Badge tone="warn">Connection lost</Badge>}
                  </p>
                  <p className="text-[13px] text-muted wrap-anywhere">
                    {formatInstant(arrival.from_date, 'time', zone)} with {arrival.practitioner}, here since{' '}
                    {formatInstant(arrival.waiting_since, 'time', zone)} (
                    {formatRelative(arrival.waiting_since, Math.max(now, Date.parse(arrival.waiting_since)))})
                  </p>
                </div>
                <Button variant="primary" asChild>
                  <a href={`/appointments/${arrival.appointment_id}/call`}>
                    <Video aria-hidden />
                    Open the visit
                  </a>
                </Button>
              </li>
            ))}
          </ol>
        </Card>
      )}
    </>
  );
}

/**
 * Patients who wait now, in the order of the appointments; undefined until loaded. Also updated while the page is
 * hidden. The portal's live stream reports changes, which are then requested at once.
 */
function useWaiting(): WaitingView[] | undefined {
  const trpc = useTRPC();
  const { user } = useMe();
  const { data } = useQuery({
    ...trpc.visits.waiting.queryOptions({}),
    refetchInterval: ({ state }) => pollIntervalMs(state.data),
    refetchIntervalInBackground: true,
  });
  const arrivals = useRef(createArrivalTracker());
  const { id, role } = user;
  useEffect(() => {
    if (!data) return;
    const mine = waitingFor(data, { id, role });
    const come = arrivals.current(mine);
    for (const one of come) showNotification(one);
    if (come.length > 0 && isBellOn()) void ring();
    return showCountInTitle(mine.length);
  }, [data, id, role]);
  return data;
}
