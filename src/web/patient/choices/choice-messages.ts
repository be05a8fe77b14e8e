import type { ChoicesPageView } from '#contract/message-choices.ts';

type Channel = ChoicesPageView['channels'][number];

/** What else a stopped channel blocks, and how to resume it without the button; null when only reminders are off. */
export function endedReason({ state, because, sender }: Channel, format: (number: string) => string): string | null {
  if (state === 'allowed') return null;
  if (because === 'stop')
    return `Your phone answered STOP, so nothing comes from that number any more: no reminders, and no sign-in codes if it sends those too. To undo that, text START from your phone${sender ? ` to ${format(sender)}` : ''}.`;
  if (because === 'complained')
    return 'A message of ours was reported as unwanted, so no news of appointments is sent there either.';
  if (because === 'bounced')
    return 'Nothing could be delivered there, so no news of appointments is sent there either.';
  return null;
}
