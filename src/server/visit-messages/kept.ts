import type { MessageChannel } from '#contract/message-words.ts';

/** What sending keeps as long as the services live. */
export function keepForVisitMessages() {
  /** Until when nothing is sent by a channel, in milliseconds of the process: nobody answers there. */
  const awayUntil = new Map<MessageChannel, number>();
  return { awayUntil };
}

declare module '#server/core/context.ts' {
  interface Kept {
    visitMessages: ReturnType<typeof keepForVisitMessages>;
  }
}
