'use client';
import { useQuery } from '@tanstack/react-query';
import { Video } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Role } from '#contract/roles.ts';
import type { WaitingView } from '#contract/visits.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { formatInstant, formatRelative } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../../trpc-client.tsx';
import { useMay, useMe } from '../../me.tsx';
import { useNow } from '../../now.tsx';
import { BirthDate } from '../../patients/patient-labels.tsx';
import { isBellOn } from './alert-settings.tsx';
import { ring, showCountInTitle, showNotification } from './alerts.ts';

/** Key of an arrival; a patient who left and came back has arrived again. */
const keyOf = ({ appointment_id, waiting_since }: WaitingView): string => `${appointment_id} ${waiting_since}`;

/** Remembers known arrivals. The first call reports none, because the page shows the list itself. */
export function createArrivalTracker() {
  let knownKeys: Set<string> | null = null;
  return (waiting: readonly WaitingView[]): WaitingView[] => {
    const previous = knownKeys;
    knownKeys = new Set(waiting.map(keyOf));
    return previous ? waiting.filter((entry) => !previous.has(keyOf(entry))) : [];
  };
}

/** A practitioner is notified of their own and of unassigned patients; others of all. */
export const waitingFor = (waiting: readonly WaitingView[], user: { id: string; role: Role }): WaitingView[] =>
  waiting.filter(
    ({ practitioner_id }) => user.role !== 'practitioner' || practitioner_id === null || practitioner_id === user.id,
  );

/** A patient who leaves without notice causes no event, so polling is more frequent while a patient waits. */
const WHILE_WAITING_MS = 10_000;
/** Arrivals come as live events; this covers a connection to the service that broke unnoticed. */
const WHILE_EMPTY_MS = 20_000;

/** Milliseconds until the waiting patients are requested again; `waiting` is undefined before the first response. */
export const pollIntervalMs = (waiting: readonly unknown[] | undefined): number =>
  waiting?.length ? WHILE_WAITING_MS : WHILE_EMPTY_MS;

/** Patients who wait for their video visits now, the next one first; empty when there are none. */
export function WaitingNow() {
  const waiting = useWaiting();
  const mayHost = useMay('visits:host');
  const now = useNow();
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
                    <BirthDate date={arrival.patient_birth_date} />
                    {arrival.is_away && <Badge tone="warn">Connection lost</Badge>}
                  </p>
                  <p className="text-[13px] text-muted wrap-anywhere">
                    {formatInstant(arrival.from_date, 'time', zone)} with {arrival.practitioner}, here since{' '}
                    {formatInstant(arrival.waiting_since, 'time', zone)} (
                    {formatRelative(arrival.waiting_since, Math.max(now, Date.parse(arrival.waiting_since)))})
                  </p>
                </div>
                {mayHost && (
                  <Button variant="primary" asChild>
                    <a href={`/appointments/${arrival.appointment_id}/call`}>
                      <Video aria-hidden />
                      Open the visit
                    </a>
                  </Button>
                )}
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
 * hidden. The portal's live stream reports changes, which are then requested at once. Arrivals are announced to those who
 * look after appointments.
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
  const isAnnounced = useMay('appointments:write');
  useEffect(() => {
    if (!data || !isAnnounced) return;
    const ownWaiting = waitingFor(data, { id, role });
    const newArrivals = arrivals.current(ownWaiting);
    for (const arrival of newArrivals) showNotification(arrival);
    if (newArrivals.length > 0 && isBellOn()) void ring();
    return showCountInTitle(ownWaiting.length);
  }, [data, id, role, isAnnounced]);
  return data;
}
