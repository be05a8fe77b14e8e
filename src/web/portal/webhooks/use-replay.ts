'use client';
import type { ReplayWebhooksInput } from '#contract/webhooks.ts';
import { useTRPCClient } from '../../trpc-client.tsx';

type From = Omit<ReplayWebhooksInput, 'id' | 'since' | 'after_sequence'>;

/**
 * Sends all events from a position on again, in as many calls as needed.
 * @returns the number of events
 */
export function useReplay(
  id: string,
): (from: From & ({ since: string } | { after_sequence: number })) => Promise<number> {
  const client = useTRPCClient();
  return async (from) => {
    let input: Omit<ReplayWebhooksInput, 'id'> = from;
    for (let queued = 0; ; ) {
      const result = await client.webhooks.replay.mutate({ id, ...input });
      queued += result.queued;
      if (!result.more) return queued;
      const { since: _, ...rest } = input;
      input = { ...rest, after_sequence: result.replayed_through };
    }
  };
}

export const replayedMessage = (count: number): string =>
  count === 0
    ? 'Nothing of this kind has happened since then'
    : `${count.toLocaleString('en-US')} ${count === 1 ? 'event is' : 'events are'} sent again`;
