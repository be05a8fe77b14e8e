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
  branding: EmailBranding | null = null,
  { templates, language }: LocalizedTemplates = findTemplates([]),
): Omit<Mail, 'to' | 'stamp'> {
  const content =
    'staffUserId' in message
      ? staffEmail(message, clinic)
      : templates.mail(message as PatientEmail, clinic, timeZone, language);
  if (!content) throw new Error(`there is no email for ${message.kind}`);
  const { subject, before, url, hint, code, after } = content;
  const page = message.kind === 'confirmation_code' || message.kind === 'reset_code' ? message.url : undefined;
  const parts: EmailTemplate['parts'] = [
    before,
    ...(url ? [{ url }] : []),
    ...(hint ? [hint] : []),
    ...(code ? [{ code }] : []),
    ...(page ? [templates.enterHere, { url: page }] : []),
    after,
  ];
  const isToPatient = !('staffUserId' in message);
  const emailLanguage = isToPatient ? templates.language : 'en';
  return renderEmail({ subject, parts, isToPatient, language: emailLanguage }, clinic, branding);
}
