'use client';
import { useQuery } from '@tanstack/react-query';
import type { AppointmentView } from '#contract/scheduling.ts';
import type { VisitCallPageView } from '#contract/visits.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Card } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { localDate } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { useNow } from '../now.tsx';
import {
  callEndMessage,
  deviceProblem,
  lineQualityLabel,
  mergeStays,
  missedCallMessage,
  participantName,
  type Stay,
  stayDetails,
} from './call-labels.ts';

/** Polling interval while a call has participants: arrivals come as live events, departures and line quality do not. */
const POLL_INTERVAL_MS = 30_000;

export function useCall(appointmentId: string) {
  const trpc = useTRPC();
  return useQuery({
    ...trpc.visits.showCall.queryOptions({ id: appointmentId }),
    refetchInterval: ({ state }) => (state.data && hasParticipants(state.data) ? POLL_INTERVAL_MS : false),
  });
}

const hasParticipants = ({ seats }: VisitCallPageView) => seats.some(({ until }) => until === null);

/**
 * Participants, times and line quality of an appointment's call. Renders nothing without participants, and no
 * placeholder while loading: most opened appointments are upcoming, and it would disappear again.
 */
export function CallCard({ appointment }: { appointment: Pick<AppointmentView, 'id' | 'status' | 'to_date'> }) {
  const call = useCall(appointment.id);
  const now = useNow();
  if (!call.error && !call.data?.seats.length) return null;
  const isPast = appointment.status !== 'canceled' && Date.parse(appointment.to_date) <= now;
  return (
    <section aria-labelledby="call" className="grid gap-2">
      <h2 id="call" className="font-semibold">
        The call
      </h2>
      <Card className="overflow-hidden">
        {call.data && !call.error ? (
          <CallSummary call={call.data} isPast={isPast} />
        ) : (
          <ErrorState error={call.error} onRetry={() => void call.refetch()} />
        )}
      </Card>
    </section>
  );
}

function CallSummary({ call, isPast }: { call: VisitCallPageView; isPast: boolean }) {
  const { started_at, ended_at } = call;
  // A patient who is still waiting may yet be admitted.
  const missed = isPast && !hasParticipants(call) ? missedCallMessage(call) : null;
  return (
    <div className="divide-y divide-line">
      {(started_at || missed) && (
        <div className="grid gap-1 px-4 py-2.5">
          {missed && <p>{missed}</p>}
          {started_at && (
            <p>
              It began <DateTime value={started_at} />
              {ended_at ? (
                <>
                  , and ended <Until from={started_at} value={ended_at} />. {callEndMessage(call)}
                </>
              ) : (
                ', and goes on.'
              )}
            </p>
          )}
        </div>
      )}
      <ul className="divide-y divide-line">
        {mergeStays(call.seats).map((stay) => (
          <Line key={`${stay.side} ${stay.from}`} stay={stay} />
        ))}
      </ul>
    </div>
  );
}

function Line({ stay }: { stay: Stay }) {
  const { from, until, devices } = stay;
  const line = lineQualityLabel(stay);
  const problem = devices && deviceProblem(devices);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 grow basis-60 max-md:basis-full">
        <p className="wrap-anywhere">{participantName(stay)}</p>
        <p className="text-[13px] text-muted">
          {until ? (
            <>
              <DateTime value={from} /> to <Until from={from} value={until} />
            </>
          ) : (
            <>
              Since <DateTime value={from} />, still there
            </>
          )}
          {stayDetails(stay).map((detail) => ` · ${detail}`)}
        </p>
      </div>
      {problem && <Badge tone="warn">{problem}</Badge>}
      {line && (
        <Badge tone={line[0]} dot>
          {line[1]}
        </Badge>
      )}
    </li>
  );
}

/** Includes the date where it differs from the start date. */
function Until({ from, value }: { from: string; value: string }) {
  const zone = useReaderZone();
  return <DateTime value={value} shape={localDate(from, zone) === localDate(value, zone) ? 'time' : 'datetime'} />;
}
