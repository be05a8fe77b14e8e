'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { VisitView } from '#contract/visits.ts';
import { faultOf, readApiFaults } from '../../ui/api-faults.ts';
import { takeLinkToken } from '../../ui/links/link-token.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import { DeadLink, LinkTrouble } from '../frame/dead-link.tsx';
import { PatientPage } from '../frame/patient-page.tsx';
import { openVisit } from './open-visit.ts';
import { useServiceTime } from './use-service-time.ts';
import { stageOf } from './visit-stage.ts';
import { WaitingRoom } from './waiting-room.tsx';

// A patient who only looks up the time does not load the call's code.
const loadCall = () => import('./patient-call.tsx').then((module) => module.PatientCall);

/** The delay until a rescheduled or canceled appointment shows to a waiting patient. */
const REFRESH_MS = 60_000;

/** The page behind the link of a video appointment; the token is in the fragment. */
export function Visit() {
  const [opened, setOpened] = useState<{ visit: VisitView; token: string } | null>(null);
  const [error, setError] = useState<unknown>(null);

  const load = useCallback(async () => {
    const token = takeLinkToken('visit');
    // Another link may have been opened before this response arrived.
    const isLatest = () => takeLinkToken('visit') === token;
    try {
      if (!token) throw faultOf('not_found', 'The link is not complete.');
      const visit = await openVisit(token);
      if (!isLatest()) return;
      setOpened({ visit, token });
      setError(null);
    } catch (refusal) {
      if (isLatest()) setError(refusal);
    }
  }, []);
  useEffect(() => {
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    // Another link was opened in the same tab.
    window.addEventListener('hashchange', load);
    return () => {
      clearInterval(timer);
      window.removeEventListener('hashchange', load);
    };
  }, [load]);

  const isGone = Boolean(error) && readApiFaults(error)[0].code === 'not_found';
  // A temporary network error must not end the call.
  if (opened && !isGone) return <Opened key={opened.token} {...opened} onOutdated={load} />;
  if (error)
    return (
      <main className="flex-1">
        {isGone ? (
          <DeadLink
            title="This visit cannot be opened"
            error={error}
            why="The link is not complete, it was exchanged for a new one, or there is no such visit any more."
            askFor="about your visit"
          />
        ) : (
          <LinkTrouble title="This visit cannot be opened now" error={error} onRetry={() => void load()} />
        )}
      </main>
    );
  return <Opening />;
}

function Opening() {
  return (
    <main className="grid flex-1 content-start gap-4" aria-busy>
      <h1 className="sr-only">Video visit</h1>
      <p role="status" className="sr-only">
        Opening your visit
      </p>
      <Skeleton className="h-6 w-48" />
      <Skeleton className="h-24" />
      <Skeleton className="h-40" />
    </main>
  );
}

const MOVED = 'This visit was moved while you were here. It is now at the time below.';

type OpenedProps = { token: string; visit: VisitView; onOutdated: () => Promise<void> };

function Opened({ token, visit, onOutdated }: OpenedProps) {
  const now = useServiceTime(visit.now);
  const stage = stageOf(visit, now);
  // A patient who entered while the room was open sees the outcome in the call view.
  const [hasOpened, setOpened] = useState(false);
  useEffect(() => {
    if (stage === 'open') setOpened(true);
  }, [stage]);
  const outdated = useCallback(() => {
    setOpened(false);
    void onOutdated();
  }, [onOutdated]);
  const isInside = stage === 'open' || (hasOpened && stage === 'over');
  const Call = useLoaded(loadCall, isInside, () => window.location.reload());
  const first = useRef(visit.from_date);
  const isMoved = visit.from_date !== first.current;
  const told = useRef<HTMLParagraphElement>(null);
  // The notice replaces other content, so it takes the focus for screen readers.
  useEffect(() => {
    if (isMoved && !isInside) told.current?.focus();
  }, [isMoved, isInside]);
  const notice = isMoved ? MOVED : null;
  if (isInside)
    return Call ? <Call {...{ token, visit, notice }} onOutdated={outdated} onChanged={onOutdated} /> : <Opening />;
  return (
    <PatientPage clinic={visit.clinic} footnote="This link is yours alone: please do not pass it on.">
      <p
        ref={told}
        tabIndex={-1}
        className="mb-4 rounded-md bg-info-soft px-3 py-2 text-info-ink outline-none empty:hidden"
      >
        {notice}
      </p>
      <WaitingRoom visit={visit} stage={stage as Exclude<typeof stage, 'open'>} now={now} />
    </PatientPage>
  );
}
