import type { CallSeatView } from '#contract/visit-call.ts';
import { type Call, createCall } from './call.ts';
import type { Media } from './media.ts';

/**
 * The seam for another engine: whoever has sat down, with what camera and microphone give, is given a call to follow, to
 * send into and to leave. The pages know a call by this alone. A service for groups, whose server mixes what all send,
 * would be one more file beside `call.ts`, chosen here.
 */
export type Engine = (seat: CallSeatView, media: Media) => Call;

/** Ours: two browsers, and nobody between. */
export const engine: Engine = createCall;
