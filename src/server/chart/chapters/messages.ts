import type { Chapter } from './chapter.ts';

export const messages: Chapter = {
  kind: 'messages',
  tells: { 'message.sent': 'A message was sent', 'message.failed': 'A message could not be sent' },
};
