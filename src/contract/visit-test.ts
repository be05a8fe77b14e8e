import { z } from 'zod';
import { MOST_OF_A_PIECE } from './line-piece.ts';
import { type IceServer, LINE_QUALITIES } from './visit-call.ts';
import type { VisitView } from './visits.ts';

/** What a browser lets a page have of camera and microphone. */
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
 * By which way a browser can be reached. `relay`: through our TURN server alone; `none`: not even so; `unknown`: there is
 * no server that could tell.
 */
export const LINE_WAYS = ['direct', 'relay', 'none', 'unknown'] as const;
export type LineWay = (typeof LINE_WAYS)[number];

/** What the page of the test needs: the visit, and servers to try with; none where it cannot take place any more. */
export type VisitTestPage = VisitView & { ice_servers: IceServer[] };

const Token = z.string().min(1).max(200);
export const OpenTestInput = z.strictObject({ token: Token });

export const TryLineInput = z.strictObject({ token: Token, piece: z.string().max(MOST_OF_A_PIECE) });
export type TryLineInput = z.infer<typeof TryLineInput>;

const result = { devices: z.enum(DEVICE_STATES), way: z.enum(LINE_WAYS), line: z.enum(LINE_QUALITIES) };
export const ReportTestInput = z.strictObject({ token: Token, ...result });
export type ReportTestInput = z.infer<typeof ReportTestInput>;

/** As it is kept; `at` is RFC 3339. */
export const KeptTest = z.object({ at: z.string(), ...result });
export type VisitTestResult = z.infer<typeof KeptTest>;
