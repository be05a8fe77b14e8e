import type { Message } from '../message.ts';
import { shortWordsOfAsking } from './when.ts';

/** A longer one costs a clinic twice as much. */
const ONE_MESSAGE = 160;

/**
 * One text message in plain words: the clinic's name and the code first, for that is what a lock screen shows. Who asked
 * for it, and when, comes last, and then whom to call, each if there is room.
 */
export function smsOf(
  message: Exclude<Message, { kind: 'nothing' }>,
  clinic: string,
  timeZone = 'UTC',
  phone: string | null = null,
): string {
  const asked = 'asked' in message && message.asked;
  const more = [
    ...(asked ? [` Asked for ${shortWordsOfAsking(asked, timeZone)}.`] : []),
    // After an address, a word would be taken for a part of it.
    ...(phone && !('url' in message && message.url) ? [` Questions? ${phone}`] : []),
  ];
  return more.reduce(
    (text, words) => (text.length + words.length <= ONE_MESSAGE ? text + words : text),
    wordsOf(message, clinic),
  );
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
    case 'phone_helped':
      return `${clinic}: from now on you sign in to the app with this phone number.`;
    case 'proof_code':
      return `${message.code} is your code to change your ${clinic} sign-in. It works for 5 minutes. Not you? Give it to nobody and tell us.`;
    case 'phone_changed':
      return message.url
        ? `${clinic}: your account has a new phone number. Not you? Undo it within 72 hours: ${message.url}`
        : `${clinic}: your account has a new phone number; this one is no longer used. Not you? Tell us at once.`;
    case 'change_undone':
    case 'sign_in_paused':
      return message.needs === 'password'
        ? `${clinic}: a change to your account was undone. Sign in with your password: you will be asked for a new one.`
        : `${clinic}: a change to your account was undone and sign-in is paused. Please contact us to sign in again.`;
    case 'sign_in_moved':
      return `${clinic}: our team changed how you sign in; this number is no longer used. Not you? Tell us at once.`;
    default:
      throw new Error(`there is no text message for ${message.kind}`);
  }
}
