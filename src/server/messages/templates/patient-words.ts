import type { Asked, PatientMessage } from '../message.ts';
import type { Words } from './staff-mail-words.ts';

type Of<Kind extends PatientMessage['kind']> = Kind extends unknown ? PatientMessage & { kind: Kind } : never;

/** What is only ever sent to a phone. */
type TextAlone =
  | 'sign_in_code'
  | 'phone_code'
  | 'phone_invitation'
  | 'phone_in_use'
  | 'phone_changed'
  | 'phone_helped'
  | 'payment_link'
  | 'manage_link';
export type MailToPatient = Of<Exclude<PatientMessage['kind'], TextAlone | 'nothing'>>;
/** What an address is told that may be a number, too. */
type OnEither = 'proof_code' | 'change_undone' | 'sign_in_paused' | 'sign_in_moved';
export type TextToPatient = Of<TextAlone | OnEither>;

/** All that patients are told about signing in, in one language. */
export type PatientWords = {
  /** A BCP 47 tag without a region. */
  language: string;
  /** @param language the reader's own variety of it, in which dates are written */
  mail(message: MailToPatient, clinic: string, timeZone: string, language: string): Words;
  /** At most 160 letters with a name of usual length, and none that has a text charged as several. */
  text(message: TextToPatient, clinic: string): string;
  /** Before the page that takes a code. */
  enterHere: string;
  /** Behind a text, where there is room. */
  askedFor(asked: Asked, timeZone: string, language: string): string;
  questions(phone: string): string;
};
