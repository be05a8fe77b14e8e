'use client';
import { Video } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { VisitView } from '#contract/visits.ts';
import { Link } from '#web/ui/link.tsx';
import { createApiError, readApiErrors } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody, CardHeader } from '../../ui/card.tsx';
import { formatInstant, formatRelative } from '../../ui/format-time.ts';
import { callLinkApi, takeLinkToken } from '../../ui/links/link.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useLazyComponent } from '../../ui/use-lazy-component.ts';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { InvalidLink, LinkUnavailable } from '../frame/invalid-link.tsx';
import { PatientPage } from '../frame/patient-page.tsx';
import { VisitTimes } from './visit-times.tsx';

type Stage = 'early' | 'open' | 'over' | 'canceled';

/**
 * The stage of an appointment at an instant (ms): the room opens before the start, and stays open for late patients.
 */
export function stageOf(visit: Pick<VisitView, 'status' | 'opens_at' | 'closes_at'>, now: number): Stage {
  if (visit.status === 'canceled') return 'canceled';
  if (visit.status === 'over' || now >= Date.parse(visit.closes_at)) return 'over';
  return now >= Date.parse(visit.opens_at) ? 'open' : 'early';
}

const TICK_MS = 1000;

/** The current time in milliseconds by the server's clock, because the reader's clock may be wrong. */
function useServerTime(serverTime: string): number {
  const [now, setNow] = useState(() => Date.parse(serverTime));
  useEffect(() => {
    const offsetMs = Date.parse(serverTime) - Date.now();
    const tick = () => setNow(Date.now() + offsetMs);
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [serverTime]);
  return now;
}

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
      if (!token) throw createApiError('not_found', 'The link is not complete.');
      const visit = await openVisit(token);
      if (!isLatest()) return;
      setOpened({ visit, token });
      setError(null);
    } catch (failure) {
      if (isLatest()) setError(failure);
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

  const isInvalid = Boolean(error) && readApiErrors(error)[0].code === 'not_found';
  // A temporary network error must not end the call.
  if (opened && !isInvalid) return <Opened key={opened.token} {...opened} onOutdated={load} />;
  if (error)
    return (
      <main className="flex-1">
        {isInvalid ? (
          <InvalidLink
            title="This visit cannot be opened"
            error={error}
            why="The link is not complete, it was replaced by a new one, or the appointment does not exist any more."
            askFor="about your appointment"
          />
        ) : (
          <LinkUnavailable title="This visit cannot be opened now" error={error} onRetry={() => void load()} />
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

const MOVED = 'This appointment was moved. It is now at the time below.';
const MOVED_MEANWHILE = 'This appointment was moved while you were here. It is now at the time below.';

type OpenedProps = { token: string; visit: VisitView; onOutdated: () => Promise<void> };

function Opened({ token, visit, onOutdated }: OpenedProps) {
  const now = useServerTime(visit.now);
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
  const Call = useLazyComponent(loadCall, isInside, () => window.location.reload());
  const first = useRef(visit.from_date);
  const isRescheduled = visit.from_date !== first.current;
  const noticeElement = useRef<HTMLParagraphElement>(null);
  // The notice replaces other content, so it takes the focus for screen readers.
  useEffect(() => {
    if (isRescheduled && !isInside) noticeElement.current?.focus();
  }, [isRescheduled, isInside]);
  const notice = isRescheduled
    ? MOVED_MEANWHILE
    : visit.is_moved && stage !== 'over' && stage !== 'canceled'
      ? MOVED
      : null;
  if (isInside)
    return Call ? <Call {...{ token, visit, notice }} onOutdated={outdated} onChanged={onOutdated} /> : <Opening />;
  return (
    <PatientPage clinic={visit.clinic} footnote="This link is yours alone: please do not pass it on.">
      <p
        ref={noticeElement}
        tabIndex={-1}
        className="mb-4 rounded-md bg-info-soft px-3 py-2 text-info-ink outline-none empty:hidden"
      >
        {notice}
      </p>
      <WaitingRoom visit={visit} stage={stage as Exclude<typeof stage, 'open'>} now={now} />
    </PatientPage>
  );
}

/** Opens the link of a video appointment. */
const openVisit = (token: string): Promise<VisitView> => callLinkApi('visits.open', token);

/** The stages in which the room cannot be entered. */
type ClosedStage = Exclude<Stage, 'open'>;

function closedTexts(visit: VisitView, now: number, zone: string): Record<ClosedStage, [title: string, text: string]> {
  const { clinic, practitioner, opens_at, asks } = visit;
  const opens = formatInstant(opens_at, 'time', zone);
  const then = asks.includes('sign_in')
    ? `Then open the visit from the app or website of ${clinic}, where you sign in.`
    : 'Keep this page open or come back then.';
  return {
    early: [
      `Your visit with ${practitioner}`,
      `The waiting room opens at ${opens} (${formatRelative(opens_at, now)}), a quarter of an hour before your visit. ${then} Until then you can try out your camera.`,
    ],
    over: ['This visit is over', `If you missed it or want to talk again, ask ${clinic} for another time.`],
    canceled: ['This appointment was canceled', `If you did not expect that, ask ${clinic} for another time.`],
  };
}

/** The appointment before its room opens or after it has closed: its time and the device check. */
function WaitingRoom({ visit, stage, now }: { visit: VisitView; stage: ClosedStage; now: number }) {
  const zone = useReaderZone();
  const [title, text] = closedTexts(visit, now, zone)[stage];
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

// A patient who only looks up the time does not load the device code.
const loadDevices = () => import('./device-preview.tsx').then((module) => module.DevicePreview);

/** Lets the patient test camera, microphone and speaker before the appointment. */
function DeviceCheck() {
  const [isWanted, setWanted] = useState(false);
  const Devices = useLazyComponent(loadDevices, isWanted, () => window.location.reload());
  return (
    <Card>
      <CardHeader
        title="Camera and microphone"
        description="Only you see this. Nothing is recorded or sent."
        actions={
          isWanted && (
            <Button size="sm" onClick={() => setWanted(false)}>
              Turn off
            </Button>
          )
        }
      />
      <CardBody>
        {isWanted && Devices ? (
          <Devices />
        ) : (
          <div className="grid justify-items-center py-4">
            <Button pending={isWanted} onClick={() => setWanted(true)}>
              <Video aria-hidden />
              Try them out
            </Button>
          </div>
        )}
        <p className="mt-4 flex flex-wrap justify-center gap-x-4 gap-y-2 border-t border-line pt-3 text-[13px]">
          <Link href="/visit/test" className="inline-block py-0.5 text-accent-ink underline">
            Try out your connection too
          </Link>
          <Link href="/visit/privacy" className="inline-block py-0.5 text-accent-ink underline">
            Who sees and keeps what
          </Link>
        </p>
      </CardBody>
    </Card>
  );
}
