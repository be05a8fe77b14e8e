import type { Message } from '../message.ts';
import { shortWordsOfAsking } from './when.ts';

/** A longer one costs a clinic twice as much. */
const ONE_MESSAGE = 160;

/**
 * One text message in plain words: the clinic's name and the code first, for that is what a lock screen shows. Who asked
 * for it, and when, comes last, if there is room.
 */
export function smsOf(message: Exclude<Message, { kind: 'nothing' }>, clinic: string, timeZone = 'UTC'): string {
  const text = wordsOf(message, clinic);
  if (!('asked' in message && message.asked)) return text;
  const whole = `${text} Asked for ${shortWordsOfAsking(message.asked, timeZone)}.`;
  return whole.length <= ONE_MESSAGE ? whole : text;
}

function wordsOf(message: Exclude<Message, { kind: 'nothing' }>, clinic: string): string {
  switch (message.kind) {
    case 'sign_in_code':
      return `${message.code} is your sign-in code for ${clinic}. It works for 5 minutes. Give it to nobody.`;
    case 'phone_code':
      return `${message.code} is your code to use this number with ${clinic}. It works for 5 minutes. Give it to nobody.`;
    case 'phone_in_use':
      return `${clinic}: this number already signs in to another account, so no code was sent and nothing was changed.`;
    case 'phone_invitation':
      return message.url
        ? `${clinic} has set up an account for you. Sign in with this phone number: ${message.url}`
        : `${clinic} has set up an account for you. Sign in to its app with this phone number.`;
    default:
      throw new Error(`there is no text message for ${message.kind}`);
  }
}
