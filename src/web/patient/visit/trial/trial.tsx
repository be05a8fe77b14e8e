'use client';
import { CircleCheck, LoaderCircle, Play, RotateCw, TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { IceServer } from '#contract/visit-call.ts';
import type { VisitTestResult } from '#contract/visit-test.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, CardBody, CardHeader } from '../../../ui/card.tsx';
import { askLink } from '../../../ui/links/ask-link.ts';
import { readChoice } from '../../../ui/visit-call/device-choice.ts';
import { SpeakerTest } from '../../../ui/visit-call/speaker-test.tsx';
import { tryWay } from '../../../ui/visit-call/try-way.ts';
import { CameraPicture } from '../camera-picture.tsx';
import { DEVICE_WORDS, isFine, LINE_WORDS, WAY_WORDS } from './test-words.ts';
import { tryDevices } from './try-devices.ts';
import { tryLine } from './try-line.ts';

type Result = Omit<VisitTestResult, 'at'>;
type Stage =
  | { at: 'ready'; note?: string }
  | { at: 'trying'; what: string }
  | { at: 'done'; result: Result; isTold: boolean };

const OFTEN = 'This was tried often just now. Wait a minute, then try again.';

type TrialProps = { token: string; servers: IceServer[]; clinic: string };

/** Tests devices, network path and bandwidth in turn, shows the results, and sends them to the clinic. */
export function Trial({ token, servers, clinic }: TrialProps) {
  const [stage, setStage] = useState<Stage>({ at: 'ready' });
  const [stream, setStream] = useState<MediaStream | null>(null);
  const open = useRef<MediaStream | null>(null);
  const release = useCallback(() => {
    for (const track of open.current?.getTracks() ?? []) track.stop();
    open.current = null;
    setStream(null);
  }, []);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      release();
    };
  }, [release]);

  async function begin() {
    release();
    setStage({ at: 'trying', what: 'Asking for your camera and microphone. Please allow both.' });
    const { state, stream: given } = await tryDevices();
    open.current = given;
    // The page was left while the browser's prompt was open.
    if (isGone.current) return release();
    setStream(given);
    setStage({ at: 'trying', what: 'Checking whether a video call gets through' });
    const way = state === 'unsupported' ? 'unknown' : await tryWay(servers).catch(() => 'unknown' as const);
    setStage({ at: 'trying', what: 'Checking how fast your connection is' });
    const line = await tryLine(token);
    if (line === null) return setStage({ at: 'ready', note: OFTEN });
    const result: Result = { devices: state, way, line };
    const isTold = await askLink('visits.reportTest', token, result).then(
      () => true,
      () => false,
    );
    setStage({ at: 'done', result, isTold });
  }

  const isTrying = stage.at === 'trying';
  return (
    <Card>
      <CardHeader
        title={stage.at === 'done' ? (isFine(stage.result) ? 'All is well' : 'Something to put right') : 'Try it out'}
        description="No one sees or hears you, and nothing is recorded."
      />
      <CardBody className="grid gap-4">
        <p role="status" className="flex items-center gap-2 empty:hidden">
          {isTrying && (
            <>
              <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin" />
              {stage.what}
            </>
          )}
          {stage.at === 'ready' && stage.note}
          {stage.at === 'done' && (
            <span className="sr-only">
              {isFine(stage.result) ? 'All is well.' : 'Something needs your attention, see below.'}
            </span>
          )}
        </p>
        {stream && <CameraPicture stream={stream} />}
        {stage.at === 'done' && <Outcome {...stage} clinic={clinic} />}
        {stage.at === 'done' && <SpeakerTest speaker={readChoice().speaker} />}
        <div className="flex flex-wrap gap-2">
          <Button
            variant={stage.at === 'ready' ? 'primary' : 'secondary'}
            pending={isTrying}
            onClick={() => void begin()}
          >
            {stage.at === 'done' ? <RotateCw aria-hidden /> : <Play aria-hidden />}
            {stage.at === 'done' ? 'Try again' : 'Begin'}
          </Button>
          {stream && stage.at === 'done' && <Button onClick={release}>Turn the camera off</Button>}
        </div>
      </CardBody>
    </Card>
  );
}

function Outcome({ result, isTold, clinic }: { result: Result; isTold: boolean; clinic: string }) {
  const said = [DEVICE_WORDS[result.devices], WAY_WORDS[result.way], LINE_WORDS[result.line]].filter(
    (words) => words !== null,
  );
  return (
    <>
      <ul aria-label="How it went" className="grid gap-3">
        {said.map(({ title, advice }) => (
          <li key={title} className="flex gap-2">
            {advice ? (
              <TriangleAlert aria-label="To do" className="mt-0.5 size-4 shrink-0 text-warn-ink" />
            ) : (
              <CircleCheck aria-label="Fine" className="mt-0.5 size-4 shrink-0 text-accent-ink" />
            )}
            <div className="min-w-0">
              <p className="font-medium">{title}</p>
              {advice && <p className="text-[13px] text-muted">{advice}</p>}
            </div>
          </li>
        ))}
      </ul>
      <p className="text-[13px] text-muted">
        {isTold ? `${clinic} sees how it went, and can help you.` : `${clinic} could not be told how it went.`}
      </p>
    </>
  );
}
