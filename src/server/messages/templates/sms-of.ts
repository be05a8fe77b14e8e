import type { Message } from '../message.ts';
import type { TextToPatient } from './patient-words.ts';
import { type Spoken, wordsIn } from './words-in.ts';

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
  { words, language }: Spoken = wordsIn([]),
): string {
  const said = words.text(message as TextToPatient, clinic);
  if (!said) throw new Error(`there is no text message for ${message.kind}`);
  const asked = 'asked' in message && message.asked;
  const more = [
    ...(asked ? [` ${words.askedFor(asked, timeZone, language)}`] : []),
    // After an address, a word would be taken for a part of it.
    ...(phone && !('url' in message && message.url) ? [` ${words.questions(phone)}`] : []),
  ];
  return more.reduce((text, next) => (text.length + next.length <= ONE_MESSAGE ? text + next : text), said);
}
