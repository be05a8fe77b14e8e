import type { CallSeatView } from '#contract/visit-call.ts';
import { type Call, createCall } from './call.ts';
import type { Media } from './media.ts';

/**
 * The interface to the video provider: takes a seat and the local media, and returns the call to follow, send into and
 * leave. Pages depend on nothing else; a provider with a media server for groups would be another file next to
 * `call.ts`, selected here.
 */
export type Engine = (seat: CallSeatView, media: Media) => Call;

/** The built-in engine: a direct connection between two browsers. */
export const engine: Engine = createCall;
