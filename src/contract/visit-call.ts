import { z } from 'zod';
import { Id } from './conventions.ts';

/** The two sides of a visit's call: one patient, one practitioner. */
export const CALL_SIDES = ['patient', 'staff'] as const;
export type CallSide = (typeof CALL_SIDES)[number];

/** Same shape as `RTCIceServer`; the credentials expire. */
export type IceServer = { urls: string[]; username?: string; credential?: string };

/** The response to joining a call. `key` is the only credential for later requests and is returned only once. */
export type CallSeatView = {
  seat_id: string;
  key: string;
  side: CallSide;
  ice_servers: IceServer[];
};

/**
 * State of the call for one participant. `waiting`: the practitioner has not admitted the patient yet. `open`: both may
 * talk. `closed`: the room is not open (too early, too late). `over`: staff ended it. `taken`: another seat of the same
 * side replaced this one, or another staff user has the visit.
 */
export const ROOM_STATES = ['waiting', 'open', 'closed', 'over', 'taken', 'canceled'] as const;
export type RoomState = (typeof ROOM_STATES)[number];

/** Presence of the other side: `away` was there and is expected back. */
export type OtherSide = 'absent' | 'here' | 'away';

export type RoomView = {
  state: RoomState;
  other: OtherSide;
  /** Changes whenever the other side joins again (another page, a reload): the previous negotiation is then void. */
  other_seat_id: string | null;
  /** The number of patients who wait for the practitioner ahead of this one; null for staff. */
  before_you: number | null;
  /** The practitioner's delay in minutes; null when not known. */
  delay_minutes: number | null;
  /** RFC 3339; when the room closes permanently. */
  closes_at: string;
  /** The server's time. */
  now: string;
};

/** Far above the longest session description or candidate of a browser. */
export const MAX_SIGNAL_BYTES = 32 * 1024;
const Hex32 = z.string().regex(/^[0-9a-f]{64}$/);

/** A signaling message between the two sides; none is stored longer than the call. */
export const CallSignal = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('description'),
    type: z.enum(['offer', 'answer', 'rollback']),
    sdp: z.string().max(MAX_SIGNAL_BYTES),
  }),
  z.strictObject({
    kind: z.literal('candidate'),
    candidate: z.string().max(2000),
    sdp_mid: z.string().max(64).nullable(),
    sdp_m_line_index: z.number().int().min(0).max(64).nullable(),
    username_fragment: z.string().max(256).nullable(),
  }),
  /** Commitment to the short code: SHA-256 of the contents of `reveal`. */
  z.strictObject({ kind: z.literal('commit'), hash: Hex32 }),
  z.strictObject({ kind: z.literal('nonce'), nonce: Hex32 }),
  z.strictObject({ kind: z.literal('reveal'), nonce: Hex32, fingerprints: z.array(z.string().max(200)).max(8) }),
]);
export type CallSignal = z.infer<typeof CallSignal>;

/** A signal in a seat's stream: `seq` increases; `id` is assigned by the sender, so that duplicates are ignored. */
export type SignalView = { seq: number; id: string; from_seat_id: string; signal: CallSignal };

export const SendSignalInput = z.strictObject({ id: Id, to_seat_id: Id, signal: CallSignal });
export type SendSignalInput = z.infer<typeof SendSignalInput>;

/** Quality of the connection. */
export const LINE_QUALITIES = ['good', 'thin', 'broken'] as const;
export type LineQuality = (typeof LINE_QUALITIES)[number];

/** A participant's devices, as staff see them; the microphone's trouble comes first. */
export const CALL_DEVICES = [
  'ok',
  'camera_blocked',
  'microphone_blocked',
  'no_camera',
  'no_microphone',
  'no_devices',
  'in_use',
  'failed',
  'unsupported',
] as const;
export type CallDevices = (typeof CALL_DEVICES)[number];

/** The state of devices and connection as the page measures it; omitted fields stay unchanged. */
export const ReportCallInput = z.strictObject({
  devices: z.enum(CALL_DEVICES).optional(),
  path: z.enum(['direct', 'relay', 'none']).optional(),
  quality: z.enum(LINE_QUALITIES).optional(),
  media: z.enum(['video', 'audio']).optional(),
});
export type ReportCallInput = z.infer<typeof ReportCallInput>;
