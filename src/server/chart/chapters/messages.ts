import type { Chapter } from './chapter.ts';

export const messages: Chapter = {
  kind: 'messages',
  tells: { 'message.sent': 'Message sent', 'message.failed': 'Message could not be sent' },
};
