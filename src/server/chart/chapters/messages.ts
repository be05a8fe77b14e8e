import { MESSAGE_WHY, type MessageWhy } from '#contract/message-words.ts';
import type { Chapter, Happening, Words } from './chapter.ts';

const WHAT: Record<string, string> = {
  confirmation: 'The confirmation of a visit',
  move: 'The news that a visit had moved',
  cancellation: 'The news that a visit was canceled',
  reminder: 'A reminder of a visit',
};

function titleOf({ kind, channel, why }: Happening['details'], became: string): Words {
  const by = channel === 'sms' ? ' by text' : channel === 'email' ? ' by email' : '';
  const title = `${WHAT[String(kind)] ?? 'A message'} ${became}${by}`;
  return { title, note: MESSAGE_WHY[String(why) as MessageWhy] };
}

export const messages: Chapter = {
  kind: 'messages',
  tells: {
    'message.sent': ({ details }: Happening) => titleOf(details, 'was sent'),
    'message.failed': ({ details }: Happening) => titleOf(details, 'could not be sent'),
    'visit_messages.delivered': ({ details }: Happening) => titleOf(details, 'was delivered'),
    'visit_messages.not_delivered': ({ details }: Happening) => titleOf(details, 'did not arrive'),
    'visit_messages.sent': ({ details }: Happening) => titleOf(details, 'was sent'),
    'visit_messages.failed': ({ details }: Happening) => titleOf(details, 'could not be sent'),
    'visit_messages.send_again': ({ details }: Happening) => titleOf(details, 'was to be sent again'),
    'visit_messages.skip': ({ details }: Happening) => titleOf(details, 'was not to be sent'),
  },
};
