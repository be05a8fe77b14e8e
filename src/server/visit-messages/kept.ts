import type { MessageChannel } from '#contract/message-words.ts';

/** What sending keeps as long as the services live. */
export function keepForVisitMessages() {
  /** Until when nothing is sent by a channel, in milliseconds of the process: nobody answers there. */
  const awayUntil = new Map<MessageChannel, number>();
  return {
    awayUntil,
    /** When every clinic was last asked whether it has something planned, in milliseconds. */
    askedAllAt: 0,
  };
}

declare module '#server/core/context.ts' {
  interface Kept {
    visitMessages: ReturnType<typeof keepForVisitMessages>;
  }
}
