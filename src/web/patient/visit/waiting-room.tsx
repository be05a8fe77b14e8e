'use client';
import type { VisitView } from '#contract/visits.ts';
import { formatInstant, formatRelative } from '../../ui/format-time.ts';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { DeviceCheck } from './device-check.tsx';
import type { Stage } from './visit-stage.ts';
import { VisitTimes } from './visit-times.tsx';

/** The stages in which the room cannot be entered. */
type Closed = Exclude<Stage, 'open'>;

function wordsOf(visit: VisitView, now: number, zone: string): Record<Closed, [title: string, text: string]> {
  const { clinic, practitioner, opens_at } = visit;
  const opens = formatInstant(opens_at, 'time', zone);
  return {
    early: [
      `Your visit with ${practitioner}`,
      `The waiting room opens at ${opens}, a quarter of an hour before (${formatRelative(opens_at, now)}). Until then you can try out your camera.`,
    ],
    over: ['This visit is over', `To talk again, book another time with ${clinic}.`],
    canceled: ['This visit was canceled', `If you did not expect that, ask ${clinic} for another time.`],
  };
}

/** The appointment before its room opens or after it has closed: its time and the device check. */
export function WaitingRoom({ visit, stage, now }: { visit: VisitView; stage: Closed; now: number }) {
  const zone = useReaderZone();
  const [title, text] = wordsOf(visit, now, zone)[stage];
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 text-balance text-muted">{text}</p>
      </div>
      {stage !== 'canceled' && <VisitTimes {...visit} />}
      {stage === 'early' && <DeviceCheck />}
    </div>
  );
}
