import type { Letterhead } from '#server/clinic/letterhead.ts';
import type { Mail } from '#server/providers/mail.ts';
import type { Message } from '../message.ts';
import { type Letter, letterOf } from './letter.ts';
import type { MailToPatient } from './patient-words.ts';
import { staffMailWords } from './staff-mail-words.ts';
import { type Spoken, wordsIn } from './words-in.ts';

/** Builds one email, with the clinic's branding if it has any; for staff in English, like the portal. */
export function mailOf(
  message: Exclude<Message, { kind: 'nothing' }>,
  clinic: string,
  timeZone = 'UTC',
  letterhead: Letterhead | null = null,
  { words, language }: Spoken = wordsIn([]),
): Omit<Mail, 'to' | 'stamp'> {
  const said =
    'staffUserId' in message
      ? staffMailWords(message, clinic)
      : words.mail(message as MailToPatient, clinic, timeZone, language);
  if (!said) throw new Error(`there is no email for ${message.kind}`);
  const { subject, before, url, hint, code, after } = said;
  const page = message.kind === 'confirmation_code' || message.kind === 'reset_code' ? message.url : undefined;
  const parts: Letter['parts'] = [
    before,
    ...(url ? [{ url }] : []),
    ...(hint ? [hint] : []),
    ...(code ? [{ code }] : []),
    ...(page ? [words.enterHere, { url: page }] : []),
    after,
  ];
  const isToPatient = !('staffUserId' in message);
  const written = isToPatient ? words.language : 'en';
  return letterOf({ subject, parts, isToPatient, language: written }, clinic, letterhead);
}
