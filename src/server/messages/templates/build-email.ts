import type { EmailBranding } from '#server/clinic/index.ts';
import type { Mail } from '#server/providers/mail.ts';
import type { Message, StaffMessage } from '../message.ts';
import { findTemplates, type LocalizedTemplates } from './find-templates.ts';
import type { EmailContent, PatientEmail } from './patient-templates.ts';
import { type EmailTemplate, renderEmail } from './render-email.ts';

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

const NOT_YOU = 'If this was not you, set a new password now and tell an administrator.';

/** Content of emails to staff users. */
function staffEmail(message: StaffMessage, clinic: string): EmailContent {
  switch (message.kind) {
    case 'staff_invitation':
      return {
        subject: `${clinic}: join the team on Carelane`,
        before: `An administrator of ${clinic} invites you to its portal. Open this page and choose a password:`,
        url: message.url,
        after: 'The link works once, for 7 days. If you did not expect this, ignore this email.',
      };
    case 'staff_reset':
      return {
        subject: `${clinic}: set a new password for the portal`,
        before: 'Open this page to set a new password:',
        url: message.url,
        after: 'The link works once, for 60 minutes. If you did not ask for it, ignore this email: nothing changes.',
      };
    case 'staff_sign_in_closed':
      return {
        subject: `${clinic}: many wrong passwords`,
        before: `Someone tried many wrong passwords for your account in the portal of ${clinic}. None of them was right. To protect it, your password now works only on devices that you have used before. To sign in on a new one, open this page there, or on the same network:`,
        url: message.url,
        after:
          'The page works once, for 3 days. Setting a new password works too. If you have no new device, there is nothing to do.',
      };
    case 'staff_password_changed':
      return {
        subject: `${clinic}: your password for the portal was changed`,
        before: `The password of your account in the portal of ${clinic} was changed, and other devices were signed out.`,
        after: NOT_YOU,
      };
    case 'two_step_on':
      return {
        subject: `${clinic}: two-step sign-in is on`,
        before: `From now on, signing in to the portal of ${clinic} takes a code of your authenticator app.`,
        after: NOT_YOU,
      };
    case 'two_step_off':
      return {
        subject: `${clinic}: two-step sign-in is off`,
        before: `Signing in to the portal of ${clinic} no longer needs a code from your authenticator app.`,
        after: NOT_YOU,
      };
    case 'webhooks_failing':
      return {
        subject: `${clinic}: something did not reach ${message.receiver}`,
        before: `Carelane tells ${message.receiver} what happens at ${clinic}. Something could not be delivered, although it was tried for about three days. Later events are still sent. The people who look after that system can send it again here:`,
        url: message.url,
        after: 'Nothing is lost: it can be sent again for 90 days.',
      };
    case 'webhooks_off':
      return {
        subject: `${clinic}: ${message.receiver} no longer receives events`,
        before: `Carelane told ${message.receiver} what happens at ${clinic}. It no longer answers as it should, so nothing more is sent there. The people who look after that system can switch it on again here:`,
        url: message.url,
        after: 'Nothing is lost: what happened in the meantime can be sent again for 90 days.',
      };
    case 'recovery_code_used':
      return {
        subject: `${clinic}: a recovery code was used`,
        before: `Someone signed in to the portal of ${clinic} with your password and one of your recovery codes. Codes left: ${message.left}.`,
        after: NOT_YOU,
      };
  }
}
