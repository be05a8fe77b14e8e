import { z } from 'zod';
import { Id } from './conventions.ts';

/** Who sits where in a visit's call: one patient, one practitioner. */
export const CALL_SIDES = ['patient', 'staff'] as const;
export type CallSide = (typeof CALL_SIDES)[number];

/** As `RTCIceServer`; credentials run out by themselves. */
export type IceServer = { urls: string[]; username?: string; credential?: string };

/** Somebody has sat down. `key` is the only credential of what follows, and is shown once. */
export type CallSeatView = {
  seat_id: string;
  key: string;
  side: CallSide;
  ice_servers: IceServer[];
};

/**
 * How the call stands for whoever asks. `waiting`: the practitioner has not let them in yet. `open`: both may talk.
 * `closed`: the room is not open (too early, too late). `over`: staff ended it. `taken`: another seat of the same side took
 * this one's place, or somebody else has the visit.
 */
export const ROOM_STATES = ['waiting', 'open', 'closed', 'over', 'taken', 'canceled'] as const;
export type RoomState = (typeof ROOM_STATES)[number];

/** Who sits on the other side: `away` has been there and is expected back. */
export type OtherSide = 'absent' | 'here' | 'away';

export type RoomView = {
  state: RoomState;
  other: OtherSide;
  /** Changes whenever the other side sat down anew (another page, a reload): what was negotiated with the one before is over. */
  other_seat_id: string | null;
  /** How many of the practitioner's patients wait before this one; null for staff. */
  before_you: number | null;
  /** Minutes that the practitioner is behind; null where not known. */
  delay_minutes: number | null;
  /** RFC 3339; when a room closes for good. */
  closes_at: string;
  /** The service's time. */
  now: string;
};

/** The longest session description or candidate that a browser makes is far below. */
export const MOST_SIGNAL_BYTES = 32 * 1024;
const Hex32 = z.string().regex(/^[0-9a-f]{64}$/);

/** What one side tells the other so that both can talk; nothing of it is stored longer than the call. */
export const CallSignal = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('description'),
    type: z.enum(['offer', 'answer', 'rollback']),
    sdp: z.string().max(MOST_SIGNAL_BYTES),
  }),
  z.strictObject({
    kind: z.literal('candidate'),
    candidate: z.string().max(2000),
    sdp_mid: z.string().max(64).nullable(),
    sdp_m_line_index: z.number().int().min(0).max(64).nullable(),
    username_fragment: z.string().max(256).nullable(),
  }),
  /** The short code's commitment: SHA-256 of what `reveal` will show. */
  z.strictObject({ kind: z.literal('commit'), hash: Hex32 }),
  z.strictObject({ kind: z.literal('nonce'), nonce: Hex32 }),
  z.strictObject({ kind: z.literal('reveal'), nonce: Hex32, fingerprints: z.array(z.string().max(200)).max(8) }),
]);
export type CallSignal = z.infer<typeof CallSignal>;

/** A signal on its way: `seq` rises within a seat's stream; `id` is its sender's, so that one told twice counts once. */
export type SignalView = { seq: number; id: string; from_seat_id: string; signal: CallSignal };

export const SendSignalInput = z.strictObject({ id: Id, to_seat_id: Id, signal: CallSignal });
export type SendSignalInput = z.infer<typeof SendSignalInput>;

/** How good the line is, in words. */
export const LINE_QUALITIES = ['good', 'thin', 'broken'] as const;
export type LineQuality = (typeof LINE_QUALITIES)[number];

/** What a page finds of its devices and its line; what is not named stays as it was told before. */
export const ReportCallInput = z.strictObject({
  devices: z.enum(['ok', 'camera_blocked', 'microphone_blocked', 'no_devices', 'unsupported']).optional(),
  path: z.enum(['direct', 'relay', 'none']).optional(),
  quality: z.enum(LINE_QUALITIES).optional(),
  media: z.enum(['video', 'audio']).optional(),
});
export type ReportCallInput = z.infer<typeof ReportCallInput>;
