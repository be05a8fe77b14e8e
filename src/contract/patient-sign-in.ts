import { z } from 'zod';
import { Id, text } from './conventions.ts';
import { MAX_IDENTITY_CHECK_LENGTH } from './limits.ts';

export const EndSessionInput = z.strictObject({ patient_id: Id, session_id: Id });
export type EndSessionInput = z.infer<typeof EndSessionInput>;
export const PatientSessionsInput = z.strictObject({ patient_id: Id });
export type PatientSessionsInput = z.infer<typeof PatientSessionsInput>;

/** Either becomes the patient's only way to sign in. */
export const HelpSignInInput = z
  .strictObject({
    patient_id: Id,
    identity_check: text(MAX_IDENTITY_CHECK_LENGTH).min(3),
    email: z.email().max(254).toLowerCase().optional(),
    phone_number: text(40).optional(),
  })
  .refine(({ email, phone_number }) => Boolean(email) !== Boolean(phone_number), {
    error: 'Give an email address or a phone number, one of them',
    path: ['email'],
  });
export type HelpSignInInput = z.infer<typeof HelpSignInInput>;

/** The link in the email that reports many wrong passwords. */
export const ReopenSignInInput = z.strictObject({ token: z.string().max(200) });
export type ReopenSignInInput = z.infer<typeof ReopenSignInInput>;

/** A session, from sign-in to its end. */
export type PatientSessionView = {
  id: string;
  /** For example "Firefox on Linux"; null when the app does not send it. */
  device: string | null;
  /** The IP address without its last part. */
  network: string | null;
  started_at: string;
  last_used_at: string;
  expires_at: string;
  ended_at: string | null;
  end_reason:
    | 'signed_out'
    | 'revoked'
    | 'refresh_token_reused'
    | 'password_changed'
    | 'archived'
    | 'change_undone'
    | 'helped'
    | 'expired'
    | null;
};

/** How a patient signs in; with no way, only applications act for the patient. */
export type PatientSignInView = {
  ways: ('text_message' | 'password' | 'invitation')[];
  /** False until a number or an address is verified for the first time. */
  confirmed: boolean;
  /** The number that codes are sent to. */
  phone_number: string | null;
  phone_number_verified: boolean;
  email: string | null;
  email_verified: boolean;
  /** A new email address that staff entered and that waits for confirmation by an emailed link. */
  asked_email: { email: string; until: string } | null;
  /** Invitations, newest first; `sent_to` is not known for very old ones. */
  invitations: {
    id: string;
    at: string;
    by: string | null;
    /** An email address or a phone number. */
    sent_to: string | null;
    state: 'open' | 'answered' | 'over' | null;
  }[];
  /** Set after a change of address was undone: what sign-in requires, the previous password or help by the clinic. */
  locked: { since: string; needs: 'password' | 'clinic' } | null;
  /** When staff gave the patient another way to sign in, and how they checked the identity; newest first. */
  helps: { id: string; at: string; by: string | null; way: 'email' | 'phone'; identity_check: string }[];
  /** Live sessions, newest first. */
  sessions: PatientSessionView[];
  /** The latest ended sessions, newest first. */
  earlier: PatientSessionView[];
};

/** The token of the link in an invitation email. */
export const InvitationLinkInput = z.strictObject({ token: z.string().max(200) });
/** The data that the page behind that link shows first. */
export type InvitationLinkView = { clinic: string; email: string };
