import type { CallDevices, CallSide, LineQuality } from '#contract/visit-call.ts';
import type { DeviceState, LineWay, VisitTestResult } from '#contract/visit-test.ts';
import type { SeatOnPage, VisitCallPageView } from '#contract/visits.ts';
import type { Tone } from '#web/ui/badge.tsx';
import { QUALITY_RANK } from '../../ui/visit-call/connection-quality.ts';
import { QUALITY_LABELS } from '../../ui/visit-call/messages.ts';

/** One participant's stay in a call; reloads and reconnects are merged into it. */
export type Stay = SeatOnPage & { reconnects: number };

/** Longest gap that does not end a stay; the call waits equally long for a reconnect. */
const RECONNECT_MS = 2 * 60_000;

type Quality = SeatOnPage['quality'];
function worse(a: Quality, b: Quality): Quality {
  if (!a || !b) return a ?? b;
  return QUALITY_RANK[a] > QUALITY_RANK[b] ? a : b;
}

/** Merges seats, in the order in which they were taken, into stays. */
export function mergeStays(seats: readonly SeatOnPage[]): Stay[] {
  const stays: Stay[] = [];
  for (const seat of seats) {
    const index = stays.findLastIndex(({ side }) => side === seat.side);
    const previous = stays[index];
    if (
      previous?.until &&
      previous.name === seat.name &&
      Date.parse(seat.from) - Date.parse(previous.until) <= RECONNECT_MS
    )
      stays[index] = {
        ...previous,
        until: seat.until,
        devices: seat.devices ?? previous.devices,
        path: seat.path ?? previous.path,
        quality: seat.quality ?? previous.quality,
        worst_quality: worse(previous.worst_quality, seat.worst_quality),
        reconnects: previous.reconnects + 1,
      };
    else stays.push({ ...seat, reconnects: 0 });
  }
  return stays;
}

export const participantName = ({ side, name }: Pick<Stay, 'side' | 'name'>): string =>
  side === 'patient' ? 'The patient' : (name ?? 'A former colleague');

/** Worst line quality as tone and label; null when none was measured. */
export function lineQualityLabel({
  until,
  path,
  quality,
  worst_quality: worst,
}: Stay): [tone: Tone, words: string] | null {
  // Without a connection no packets are lost, so the measured quality has no meaning.
  if (path === 'none') return ['danger', until ? 'No connection in the end' : 'No connection now'];
  if (!worst) return null;
  const [tone, label] = QUALITY_LABELS[worst];
  return [tone, worst === quality ? label : `${label} at times`];
}

/** Further details of a stay: reconnects and connection path. */
export function stayDetails({ path, reconnects }: Pick<Stay, 'path' | 'reconnects'>): string[] {
  const reconnectLabel = reconnects === 0 ? null : `came back ${reconnects === 1 ? 'once' : `${reconnects} times`}`;
  const route =
    path === 'direct' ? 'connected directly' : path === 'relay' ? 'connected through a helper server' : null;
  return [reconnectLabel, route].filter((part) => part !== null);
}

const END_MESSAGES: Record<NonNullable<VisitCallPageView['ended_by']>, string> = {
  staff: 'The clinic ended it.',
  patient: 'It ended when the patient left.',
  time: 'It closed automatically.',
};
/** Says in a sentence who ended the call; empty while it is running. */
export const callEndMessage = ({ ended_by }: Pick<VisitCallPageView, 'ended_by'>): string =>
  ended_by ? END_MESSAGES[ended_by] : '';

/** Names the missing side of a past appointment in a sentence; null when the two met or neither came. */
export function missedCallMessage({ seats, opens_at, started_at }: VisitCallPageView): string | null {
  // Seats from before `opens_at` belong to an earlier time of a rescheduled appointment.
  const attended = (side: CallSide) => seats.some((seat) => seat.side === side && seat.from >= opens_at);
  if (attended('patient') && attended('staff'))
    return started_at ? null : 'Both were there, but the patient was not let in, so there was no call.';
  if (attended('patient')) return 'The patient waited, but no one from the clinic came.';
  return attended('staff') ? 'The clinic was there, the patient did not come.' : null;
}

/** Labels for staff; null where no problem was found. */
const DEVICE_TEST_LABELS: {
  devices: Record<DeviceState | CallDevices, string | null>;
  way: Record<LineWay, string | null>;
  line: Record<LineQuality, string | null>;
} = {
  devices: {
    ok: null,
    camera_blocked: 'camera blocked',
    microphone_blocked: 'microphone blocked',
    no_devices: 'no camera or microphone',
    no_camera: 'no camera',
    no_microphone: 'no microphone',
    in_use: 'camera or microphone in use by another app',
    failed: 'camera or microphone did not start',
    unsupported: 'browser without video calls',
  },
  way: { direct: null, relay: 'relay only', none: 'no way through the network', unknown: null },
  line: { good: null, thin: 'connection slow', broken: 'connection too slow or interrupted' },
};

/** Explains why camera or microphone did not work; null where both did. */
export const deviceProblem = (devices: CallDevices): string | null => DEVICE_TEST_LABELS.devices[devices];

/** Problems that the device test found, in a few words each; empty when it found none. */
export const deviceTestProblems = ({ devices, way, line }: VisitTestResult): string[] =>
  [DEVICE_TEST_LABELS.devices[devices], DEVICE_TEST_LABELS.way[way], DEVICE_TEST_LABELS.line[line]].filter(
    (label) => label !== null,
  );
