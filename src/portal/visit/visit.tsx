'use client';
import { useCallback, useEffect, useState } from 'react';
import type { VisitView } from '#contract/visits.ts';
import { DeadLink, LinkTrouble } from '../patient-pages/dead-link.tsx';
import { PatientPage } from '../patient-pages/patient-page.tsx';
import { readApiFaults } from '../ui/api-faults.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { openVisit } from './open-visit.ts';
import { WaitingRoom } from './waiting-room.tsx';

/** How soon a moved or canceled visit shows to somebody who is waiting. */
const REFRESH_MS = 60_000;

/** The page behind a video visit's link. */
export function Visit({ token }: { token: string }) {
  const [visit, setVisit] = useState<VisitView | null>(null);
  const [error, setError] = useState<unknown>(null);

  const load = useCallback(async () => {
    try {
      setVisit(await openVisit(token));
      setError(null);
    } catch (refusal) {
      setError(refusal);
    }
  }, [token]);
  useEffect(() => {
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [load]);

  if (visit)
    return (
      <PatientPage clinic={visit.clinic} footnote="This link is yours alone: please do not pass it on.">
        <WaitingRoom visit={visit} />
      </PatientPage>
    );
  if (error) {
    const isGone = readApiFaults(error)[0].code === 'not_found';
    return (
      <main className="flex-1">
        {isGone ? (
          <DeadLink
            title="This visit cannot be opened"
            error={error}
            why="The link is not complete, or there is no such visit any more."
            askFor="about your visit"
          />
        ) : (
          <LinkTrouble title="This visit cannot be opened now" error={error} onRetry={() => void load()} />
        )}
      </main>
    );
  }
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
