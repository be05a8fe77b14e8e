'use client';
import type { VisitView } from '#contract/visits.ts';
import { formatInstant, formatRelative } from '../ui/format-time.ts';
import { useReaderZone } from '../ui/use-reader-zone.ts';
import { DeviceCheck } from './device-check.tsx';
import { useServiceTime } from './use-service-time.ts';
import { type Stage, stageOf } from './visit-stage.ts';
import { VisitTimes } from './visit-times.tsx';

function wordsOf(visit: VisitView, now: number, zone: string): Record<Stage, [title: string, text: string]> {
  const { clinic, practitioner, opens_at } = visit;
  const opens = formatInstant(opens_at, 'time', zone);
  return {
    early: [
      `Your visit with ${practitioner}`,
      `The waiting room opens at ${opens}, ten minutes before (${formatRelative(opens_at, now)}). Until then you can try out your camera.`,
    ],
    open: ['You are in the waiting room', `${practitioner} knows where to find you. Please stay on this page.`],
    over: ['This visit is over', `To talk again, book another time with ${clinic}.`],
    canceled: ['This visit was canceled', `If you did not expect that, ask ${clinic} for another time.`],
  };
}

/** The room before the visit: when it is, whether it is open, and whether one can be seen and heard. */
export function WaitingRoom({ visit }: { visit: VisitView }) {
  const now = useServiceTime(visit.now);
  const zone = useReaderZone();
  const stage = stageOf(visit, now);
  const [title, text] = wordsOf(visit, now, zone)[stage];
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 text-balance text-muted">{text}</p>
      </div>
      <p role="status" className="sr-only">
        {stage === 'open' && title}
      </p>
      {stage !== 'canceled' && <VisitTimes {...visit} />}
      {(stage === 'early' || stage === 'open') && <DeviceCheck />}
    </div>
  );
}
