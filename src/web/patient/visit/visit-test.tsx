'use client';
import { CircleCheck, LoaderCircle, Mic, Play, RotateCw, TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { MAX_LINE_TEST_LENGTH } from '#contract/limits.ts';
import type { IceServer, LineQuality } from '#contract/visit-call.ts';
import type { DeviceState, LineWay, VisitTestPage, VisitTestResult } from '#contract/visit-test.ts';
import { readApiErrors } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody, CardHeader } from '../../ui/card.tsx';
import { callLinkApi, takeLinkToken } from '../../ui/links/link.ts';
import { readDeviceChoice } from '../../ui/visit-call/device-choice.ts';
import { tryWay } from '../../ui/visit-call/network-path.ts';
import { SpeakerTest } from '../../ui/visit-call/speaker-test.tsx';
import { useLoudness } from '../../ui/visit-call/use-loudness.ts';
import { OpenedLink } from '../frame/opened-link.tsx';
import { VisitTimes } from './visit-times.tsx';

/** Round-trip times in milliseconds, without data and with `characters` characters each way. */
type RoundTrips = { short: number[]; long: number[]; characters: number };

/** The minimum for a clear picture, and for audio alone, in bits per second. */
const MIN_VIDEO_BITRATE = 600_000;
const MIN_AUDIO_BITRATE = 60_000;
/** With a longer delay both sides start to talk at the same time. */
const THIN_DELAY_MS = 400;
const BROKEN_DELAY_MS = 1_500;

/** Rates the best of several samples, because other load on the device is not the connection's fault. */
export function rateRoundTrips({ short, long, characters }: RoundTrips): LineQuality {
  if (short.length === 0 || long.length === 0) return 'broken';
  const roundTrip = Math.min(...short);
  const transferMs = Math.max(1, Math.min(...long) - roundTrip);
  const bitsPerSecond = (2 * characters * 8 * 1000) / transferMs;
  if (roundTrip > BROKEN_DELAY_MS || bitsPerSecond < MIN_AUDIO_BITRATE) return 'broken';
  return roundTrip > THIN_DELAY_MS || bitsPerSecond < MIN_VIDEO_BITRATE ? 'thin' : 'good';
}

type TestMessage = { title: string; advice: string | null };
const ALLOW =
  'Press the sign to the left of the address at the top of your browser, allow camera and microphone, and try again.';

/** Texts for patients, including those without experience of video appointments. */
const DEVICE_MESSAGES: Record<DeviceState, TestMessage> = {
  ok: { title: 'Your camera and microphone work', advice: null },
  camera_blocked: { title: 'Your browser is blocking your camera on this page', advice: ALLOW },
  microphone_blocked: { title: 'Your browser is blocking your microphone on this page', advice: ALLOW },
  no_devices: {
    title: 'A camera or a microphone is missing',
    advice: 'Plug in what is missing and try again, or open your link on a phone, which has both.',
  },
  in_use: {
    title: 'Another app is using your camera or microphone',
    advice: 'Close other apps for calls, and other tabs with video, then try again.',
  },
  unsupported: {
    title: 'This browser has no video calls',
    advice: 'Open your link in an up-to-date Chrome, Edge, Firefox or Safari.',
  },
};

const SPEED_MESSAGES: Record<LineQuality, TestMessage> = {
  good: { title: 'Your connection is fast enough', advice: null },
  thin: {
    title: 'Your connection is slow',
    advice: 'The picture may stop at times. It helps to be near your Wi-Fi box, or to stop downloads and other videos.',
  },
  broken: {
    title: 'Your connection is too slow, or breaks off',
    advice: 'Try another network, for instance that of your phone.',
  },
};

const PATH_MESSAGES: Record<LineWay, TestMessage | null> = {
  direct: { title: 'A video call gets through to you', advice: null },
  relay: { title: 'A video call gets through to you, through a helper server', advice: null },
  none: {
    title: 'Your network lets no video call through',
    advice: 'Company and hospital networks often do so. Try another one, for instance that of your phone.',
  },
  // No STUN or TURN server was available for the test.
  unknown: null,
};

const isFine = ({ devices, way, line }: Omit<VisitTestResult, 'at'>): boolean =>
  devices === 'ok' && way !== 'none' && line === 'good';

const SAMPLE_COUNT = 3;
/** The time limit for all samples; a slower connection is unsuitable for a call. */
const TIMEOUT_MS = 20_000;

/** Random characters, which no proxy can compress. */
function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(Math.ceil((length * 3) / 4)));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).slice(0, length);
}

/** Measures the connection to our service by sending data there and back. Null when the rate limit was exceeded. */
async function measureConnection(token: string): Promise<LineQuality | null> {
  const roundTrips: RoundTrips = { short: [], long: [], characters: MAX_LINE_TEST_LENGTH };
  const time = async (piece: string) => {
    const startedAt = performance.now();
    await callLinkApi('visits.tryLine', token, { piece });
    return performance.now() - startedAt;
  };
  const measure = async () => {
    // The first request opens the connection, and is not measured.
    await time('');
    for (let n = 0; n < SAMPLE_COUNT; n++) roundTrips.short.push(await time(''));
    for (let n = 0; n < SAMPLE_COUNT; n++) roundTrips.long.push(await time(randomText(MAX_LINE_TEST_LENGTH)));
  };
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, TIMEOUT_MS));
  try {
    await Promise.race([measure(), timeout]);
  } catch (error) {
    return readApiErrors(error)[0].code === 'rate_limited' ? null : 'broken';
  }
  return rateRoundTrips(roundTrips);
}

type Result = Omit<VisitTestResult, 'at'>;
type Stage =
  | { at: 'ready'; note?: string }
  | { at: 'trying'; what: string }
  | { at: 'done'; result: Result; isReported: boolean };

const RATE_LIMITED = 'This was tried often just now. Wait a minute, then try again.';

type TestCardProps = { token: string; servers: IceServer[]; clinic: string };

/** Tests devices, network path and bandwidth in turn, shows the results, and sends them to the clinic. */
function TestCard({ token, servers, clinic }: TestCardProps) {
  const [stage, setStage] = useState<Stage>({ at: 'ready' });
  const [stream, setStream] = useState<MediaStream | null>(null);
  const open = useRef<MediaStream | null>(null);
  const release = useCallback(() => {
    for (const track of open.current?.getTracks() ?? []) track.stop();
    open.current = null;
    setStream(null);
  }, []);
  const isUnmounted = useRef(false);
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      release();
    };
  }, [release]);

  async function begin() {
    release();
    setStage({ at: 'trying', what: 'Asking for your camera and microphone. Please allow both.' });
    const { state, stream: granted } = await testDevices();
    open.current = granted;
    // The page was left while the browser's prompt was open.
    if (isUnmounted.current) return release();
    setStream(granted);
    setStage({ at: 'trying', what: 'Checking whether a video call gets through' });
    const way = state === 'unsupported' ? 'unknown' : await tryWay(servers).catch(() => 'unknown' as const);
    setStage({ at: 'trying', what: 'Checking how fast your connection is' });
    const line = await measureConnection(token);
    if (line === null) return setStage({ at: 'ready', note: RATE_LIMITED });
    const result: Result = { devices: state, way, line };
    const isReported = await callLinkApi('visits.reportTest', token, result).then(
      () => true,
      () => false,
    );
    setStage({ at: 'done', result, isReported });
  }

  const isRunning = stage.at === 'trying';
  return (
    <Card>
      <CardHeader
        title={stage.at === 'done' ? (isFine(stage.result) ? 'All is well' : 'Something to put right') : 'Try it out'}
        description="No one sees or hears you, and nothing is recorded."
      />
      <CardBody className="grid gap-4">
        <p role="status" className="flex items-center gap-2 empty:hidden">
          {isRunning && (
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
        {stage.at === 'done' && <SpeakerTest speaker={readDeviceChoice().speaker} />}
        <div className="flex flex-wrap gap-2">
          <Button
            variant={stage.at === 'ready' ? 'primary' : 'secondary'}
            pending={isRunning}
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

function Outcome({ result, isReported, clinic }: { result: Result; isReported: boolean; clinic: string }) {
  const messages = [DEVICE_MESSAGES[result.devices], PATH_MESSAGES[result.way], SPEED_MESSAGES[result.line]].filter(
    (message) => message !== null,
  );
  return (
    <>
      <ul aria-label="How it went" className="grid gap-3">
        {messages.map(({ title, advice }) => (
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
        {isReported ? `${clinic} sees how it went, and can help you.` : `${clinic} could not be told how it went.`}
      </p>
    </>
  );
}

/** Mirrored camera picture and microphone level. */
function CameraPicture({ stream }: { stream: MediaStream }) {
  const video = useRef<HTMLVideoElement>(null);
  const bar = useLoudness(stream);
  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);
  return (
    <>
      <video
        ref={video}
        autoPlay
        muted
        playsInline
        aria-label="Your camera"
        className="aspect-video w-full -scale-x-100 rounded-lg bg-sunken object-cover"
      />
      <div className="mt-3 flex items-center gap-2 text-[13px] text-muted">
        <Mic aria-hidden className="size-4 shrink-0" />
        <span>Say something: the bar moves</span>
        <span aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-full bg-line">
          <span ref={bar} className="block h-full origin-left scale-x-0 rounded-full bg-accent" />
        </span>
      </div>
    </>
  );
}

type DeviceTestResult = { state: DeviceState; stream: MediaStream | null };

const requestMedia = (constraints: MediaStreamConstraints): Promise<MediaStream | string> =>
  navigator.mediaDevices.getUserMedia(constraints).catch((error: DOMException) => error.name);
const isStream = (result: MediaStream | string): result is MediaStream => typeof result !== 'string';
const stop = (stream: MediaStream) => {
  for (const track of stream.getTracks()) track.stop();
};

/** Requests camera and microphone, and determines which of them is blocked. The caller stops the stream. */
async function testDevices(): Promise<DeviceTestResult> {
  // Browsers expose devices only to secure (HTTPS) pages.
  if (!navigator.mediaDevices?.getUserMedia || typeof RTCPeerConnection === 'undefined')
    return { state: 'unsupported', stream: null };
  const both = await requestMedia({ video: true, audio: true });
  if (isStream(both)) return { state: 'ok', stream: both };
  if (both === 'NotReadableError' || both === 'AbortError') return { state: 'in_use', stream: null };
  if (both !== 'NotAllowedError' && both !== 'SecurityError') return { state: 'no_devices', stream: null };
  const sound = await requestMedia({ audio: true });
  if (isStream(sound)) {
    stop(sound);
    return { state: 'camera_blocked', stream: null };
  }
  const picture = await requestMedia({ video: true });
  if (isStream(picture)) stop(picture);
  return { state: isStream(picture) ? 'microphone_blocked' : 'camera_blocked', stream: null };
}

const INVALID_TEXTS = {
  why: 'It is not complete, it was replaced by a new one, or the appointment does not exist any more.',
  askFor: 'about your appointment',
};

/** The page where a patient tests in advance if a video appointment will work on this device and network. */
export function VisitTest() {
  return (
    <OpenedLink<VisitTestPage>
      page="visit"
      step="visits.openTest"
      title="Try out your video visit"
      invalidTexts={INVALID_TEXTS}
    >
      {(visit) => <Opened visit={visit} />}
    </OpenedLink>
  );
}

function Opened({ visit }: { visit: VisitTestPage }) {
  const token = useRef(takeLinkToken('visit') ?? '').current;
  // By the server's clock, evaluated once: patients do not stay here for long.
  const [isAhead] = useState(() => visit.status === 'scheduled' && Date.parse(visit.to_date) > Date.parse(visit.now));
  if (!isAhead)
    return (
      <div>
        <h1 className="text-xl font-semibold tracking-tight">
          {visit.status === 'canceled' ? 'This appointment was canceled' : 'This visit is over'}
        </h1>
        <p className="mt-1 text-muted">There is nothing to test. Ask {visit.clinic} for another time.</p>
      </div>
    );
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-xl font-semibold tracking-tight">Will your video visit work?</h1>
        <p className="mt-1 text-balance text-muted">
          It takes half a minute. Do it on the device, and at the place, where you will be for your visit with{' '}
          {visit.practitioner}.
        </p>
      </div>
      <VisitTimes {...visit} />
      <TestCard token={token} servers={visit.ice_servers} clinic={visit.clinic} />
    </div>
  );
}
