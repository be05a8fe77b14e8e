import type { PatientMessage, RequestedBy } from '../message.ts';

type Of<Kind extends PatientMessage['kind']> = Kind extends unknown ? PatientMessage & { kind: Kind } : never;

/** Kinds that are only sent to phones. */
type SmsOnly =
  | 'sign_in_code'
  | 'phone_code'
  | 'phone_invitation'
  | 'phone_in_use'
  | 'phone_changed'
  | 'phone_helped'
  | 'payment_link'
  | 'manage_link';
export type PatientEmail = Of<Exclude<PatientMessage['kind'], SmsOnly | 'nothing'>>;
/** Kinds for email addresses and phone numbers. */
type EmailOrSms = 'proof_code' | 'change_undone' | 'sign_in_paused' | 'sign_in_moved';
export type PatientSms = Of<SmsOnly | EmailOrSms>;

export type EmailContent = {
  subject: string;
  before: string;
  url?: string;
  hint?: string;
  code?: string;
  after: string;
};

/** All messages to patients in one language. */
export type PatientTemplates = {
  /** A BCP 47 tag without a region. */
  language: string;
  /** @param language the reader's regional variant, used for dates */
  mail(message: PatientEmail, clinic: string, timeZone: string, language: string): EmailContent;
  /**
   * At most 160 characters with a clinic name of usual length, and only GSM 03.38 characters, so that it costs one
   * part.
   */
  text(message: PatientSms, clinic: string): string;
  /** Precedes the link to the page that takes a code. */
  enterHere: string;
  /** Appended to a text message if it fits. */
  requestedBy(request: RequestedBy, timeZone: string, language: string): string;
  questions(phone: string): string;
};
