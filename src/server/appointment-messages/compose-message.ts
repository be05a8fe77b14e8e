import type { MessageSettings } from '#contract/message-settings.ts';
import type { MessageKind } from '#contract/message-templates.ts';
import type { Appointment, Patient } from '#generated/prisma/client.ts';
import { videoTestUrl } from '#server/bookings/video-test-url.ts';
import { videoUrl } from '#server/bookings/video-url.ts';
import type { EmailBranding } from '#server/clinic/email-branding.ts';
import type { ChoicesLink } from '#server/consent/choices-link.ts';
import type { Context } from '#server/core/context.ts';
import { renderEmail } from '#server/messages/templates/render-email.ts';
import type { Mail } from '#server/providers/mail.ts';
import { calendarFile } from './calendar-file.ts';
import { zoneOf } from './plan-appointment-messages.ts';
import { type MessageData, type RenderedMessage, renderMessage, splitParagraphs } from './render-message.ts';

export type AppointmentWithPatient = Appointment & {
  patient: Pick<Patient, 'firstName' | 'timeZone' | 'language' | 'email'>;
};
export type ComposeInput = {
  kind: MessageKind;
  sequence: number;
  visit: AppointmentWithPatient;
  wasAt: Date | null;
  settings: MessageSettings;
  letterhead: EmailBranding;
};

const toldOf = (ctx: Pick<Context, 'config'>, { kind, visit, wasAt }: ComposeInput): MessageData => ({
  kind,
  startAt: visit.startAt,
  wasAt,
  timeZone: zoneOf(visit),
  language: visit.patient.language,
  firstName: visit.patient.firstName,
  link: videoUrl(ctx, visit.videoToken),
  test: videoTestUrl(ctx, visit.videoToken),
  type: visit.appointmentType,
  practitioner: visit.calendar,
});

/** Returns the text of an SMS, on one line. */
export const composeText = (ctx: Pick<Context, 'config'>, composing: ComposeInput): string =>
  renderMessage(toldOf(ctx, composing), composing.settings, composing.letterhead).text;

/** Returns the language in which the message is written. */
export const languageOf = (ctx: Pick<Context, 'config'>, composing: ComposeInput): string =>
  renderMessage(toldOf(ctx, composing), composing.settings, composing.letterhead).language;

/** Returns the paragraphs of the email without its template. */
export function paragraphsOf(
  ctx: Pick<Context, 'config'>,
  composing: ComposeInput,
): { words: string; isLink: boolean }[] {
  const told = toldOf(ctx, composing);
  const { body } = renderMessage(told, composing.settings, composing.letterhead);
  return splitParagraphs(body, [told.link, told.test]).map((part) =>
    typeof part === 'string' ? { words: part, isLink: false } : { words: part.url, isLink: true },
  );
}

/** Returns the UID, by which every calendar recognizes the appointment. */
export const uidOf = (visit: Pick<Appointment, 'id'>): string => `visit-${visit.id}@carelane`;

/** Composes the email with the tenant's texts and the appointment as a calendar file; a reminder has no file. */
export function composeMail(
  ctx: Pick<Context, 'config' | 'clock'>,
  composing: ComposeInput,
  to: string,
  choices: ChoicesLink | null,
): Omit<Mail, 'stamp'> {
  const { kind, letterhead } = composing;
  const told = toldOf(ctx, composing);
  const words = renderMessage(told, composing.settings, letterhead);
  const parts = [
    ...splitParagraphs(words.body, [told.link, told.test]),
    ...(choices ? [words.small.choices, { url: choices.page }] : []),
  ];
  const letter = renderEmail(
    { subject: words.subject, parts, isToPatient: true, language: words.language },
    letterhead.clinic,
    letterhead,
  );
  return {
    ...letter,
    to,
    ...(kind !== 'reminder' && { calendar: entryOf(ctx, composing, { told, said: words, to }) }),
    ...(choices && {
      headers: {
        'List-Unsubscribe': `<${choices.oneClick}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    }),
  };
}

/**
 * The appointment for the reader's calendar. A message that is sent again keeps UID and SEQUENCE and has a later
 * DTSTAMP, which decides between two files of one SEQUENCE (RFC 5546, 2.1.5). A higher SEQUENCE would announce a
 * significant change (RFC 5545, 3.8.7.4).
 */
function entryOf(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { kind, sequence, visit, settings, letterhead }: ComposeInput,
  { told, said, to }: { told: MessageData; said: RenderedMessage; to: string },
): { method: 'REQUEST' | 'CANCEL'; content: string } {
  const method = kind === 'cancellation' ? 'CANCEL' : 'REQUEST';
  const what = settings.says_type ? `${told.type}, ${letterhead.clinic}` : said.small.entry;
  const content = calendarFile(letterhead.clinic, method, [
    {
      uid: uidOf(visit),
      sequence,
      method,
      startAt: visit.startAt,
      endAt: visit.endAt,
      timeZone: told.timeZone,
      title: settings.says_practitioner ? `${what}, ${told.practitioner}` : what,
      words: null,
      link: told.link,
      stampedAt: clock.now(),
      organizer: config.mail && { name: letterhead.clinic, email: config.mail.from.address },
      attendee: { name: to, email: to },
    },
  ]);
  return { method, content };
}
