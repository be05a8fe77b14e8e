import type { LineQuality } from '#contract/visit-call.ts';
import type { DeviceState, LineWay, VisitTestResult } from '#contract/visit-test.ts';

/** Labels for staff; null where no problem was found. */
const LABELS: {
  devices: Record<DeviceState, string | null>;
  way: Record<LineWay, string | null>;
  line: Record<LineQuality, string | null>;
} = {
  devices: {
    ok: null,
    camera_blocked: 'camera blocked',
    microphone_blocked: 'microphone blocked',
    no_devices: 'no camera or microphone',
    in_use: 'camera in use by another program',
    unsupported: 'browser without video calls',
  },
  way: { direct: null, relay: 'relay only', none: 'no way through the network', unknown: null },
  line: { good: null, thin: 'line thin', broken: 'line too thin or broken' },
};

/** Explains why camera or microphone did not work; null where both did. */
export const deviceProblem = (devices: DeviceState): string | null => LABELS.devices[devices];

/** Problems that the device test found, in a few words each; empty when it found none. */
export const deviceTestProblems = ({ devices, way, line }: VisitTestResult): string[] =>
  [LABELS.devices[devices], LABELS.way[way], LABELS.line[line]].filter((label) => label !== null);
