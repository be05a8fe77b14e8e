import type { EmailBranding } from '#server/clinic/email-branding.ts';
import type { Mail } from '#server/providers/mail.ts';
import type { Message } from '../message.ts';
import { findTemplates, type LocalizedTemplates } from './find-templates.ts';
import type { PatientEmail } from './patient-templates.ts';
import { type EmailTemplate, renderEmail } from './render-email.ts';
import { staffEmail } from './staff-email.ts';

/** Builds one email, with the clinic's branding if it has any; for staff in English, like the portal. */
export function buildEmail(
  message: Exclude<Message, { kind: 'nothing' }>,
  clinic: string,
  timeZone = 'UTC',
  letterhead: EmailBranding | null = null,
  { templates: words, language }: LocalizedTemplates = findTemplates([]),
): Omit<Mail, 'to' | 'stamp'> {
  const said =
    'staffUserId' in message
      ? staffEmail(message, clinic)
      : words.mail(message as PatientEmail, clinic, timeZone, language);
  if (!said) throw new Error(`there is no email for ${message.kind}`);
  const { subject, before, url, hint, code, after } = said;
  const page = message.kind === 'confirmation_code' || message.kind === 'reset_code' ? message.url : undefined;
  const parts: EmailTemplate['parts'] = [
    before,
    ...(url ? [{ url }] : []),
    ...(hint ? [hint] : []),
    ...(code ? [{ code }] : []),
    ...(page ? [words.enterHere, { url: page }] : []),
    after,
  ];
  const isToPatient = !('staffUserId' in message);
  const written = isToPatient ? words.language : 'en';
  return renderEmail({ subject, parts, isToPatient, language: written }, clinic, letterhead);
}
