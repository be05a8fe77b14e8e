import { z } from 'zod';
import { MAX_LINE_TEST_LENGTH } from './limits.ts';
import { type IceServer, LINE_QUALITIES } from './visit-call.ts';
import type { VisitView } from './visits.ts';

/** Access of the page to camera and microphone. */
export const DEVICE_STATES = [
  'ok',
  'camera_blocked',
  'microphone_blocked',
  'no_devices',
  'in_use',
  'unsupported',
] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

/**
 * How a browser can be reached. `relay`: only through our TURN server; `none`: not at all; `unknown`: no server is
 * configured to test it with.
 */
export const LINE_WAYS = ['direct', 'relay', 'none', 'unknown'] as const;
export type LineWay = (typeof LINE_WAYS)[number];

/**
 * The data of the test page: the visit, and ICE servers to test with; no servers when the visit cannot take place any
 * more.
 */
export type VisitTestPage = VisitView & { ice_servers: IceServer[] };

const Token = z.string().min(1).max(200);
export const OpenTestInput = z.strictObject({ token: Token });

export const TryLineInput = z.strictObject({ token: Token, piece: z.string().max(MAX_LINE_TEST_LENGTH) });
export type TryLineInput = z.infer<typeof TryLineInput>;

const result = { devices: z.enum(DEVICE_STATES), way: z.enum(LINE_WAYS), line: z.enum(LINE_QUALITIES) };
export const ReportTestInput = z.strictObject({ token: Token, ...result });
export type ReportTestInput = z.infer<typeof ReportTestInput>;

/** As stored; `at` is RFC 3339. */
export const KeptTest = z.object({ at: z.string(), ...result });
export type VisitTestResult = z.infer<typeof KeptTest>;
