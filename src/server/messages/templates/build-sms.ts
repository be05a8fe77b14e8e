import type { Message } from '../message.ts';
import { findTemplates, type LocalizedTemplates } from './find-templates.ts';
import type { PatientSms } from './patient-templates.ts';

/** A longer message costs a clinic twice as much. */
const ONE_MESSAGE = 160;

/**
 * Builds one text message: the clinic's name and the code come first, because a lock screen shows only the start. The
 * requesting device and time, then the phone number for questions, are appended if they fit.
 */
export function buildSms(
  message: Exclude<Message, { kind: 'nothing' }>,
  clinic: string,
  timeZone = 'UTC',
  phone: string | null = null,
  { templates, language }: LocalizedTemplates = findTemplates([]),
): string {
  const body = templates.text(message as PatientSms, clinic);
  if (!body) throw new Error(`there is no text message for ${message.kind}`);
  const request = 'asked' in message && message.asked;
  const optional = [
    ...(request ? [` ${templates.requestedBy(request, timeZone, language)}`] : []),
    // After a URL, the text would be taken for a part of it.
    ...(phone && !('url' in message && message.url) ? [` ${templates.questions(phone)}`] : []),
  ];
  return optional.reduce((text, next) => (text.length + next.length <= ONE_MESSAGE ? text + next : text), body);
}
