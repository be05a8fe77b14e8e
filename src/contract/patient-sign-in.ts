import { z } from 'zod';
import { Id, text } from './conventions.ts';

export const EndSessionInput = z.strictObject({ patient_id: Id, session_id: Id });
export type EndSessionInput = z.infer<typeof EndSessionInput>;
export const PatientSessionsInput = z.strictObject({ patient_id: Id });
export type PatientSessionsInput = z.infer<typeof PatientSessionsInput>;

/** One of the two, from then on the only way to sign in. */
export const HelpSignInInput = z
  .strictObject({
    patient_id: Id,
    identity_check: text(500).min(3),
    email: z.email().max(254).toLowerCase().optional(),
    phone_number: text(40).optional(),
  })
  .refine(({ email, phone_number }) => Boolean(email) !== Boolean(phone_number), {
    error: 'Give an email address or a phone number, one of them',
    path: ['email'],
  });
export type HelpSignInInput = z.infer<typeof HelpSignInInput>;

/** The link of a mail that told of many wrong passwords. */
export const ReopenSignInInput = z.strictObject({ token: z.string().max(200) });
export type ReopenSignInInput = z.infer<typeof ReopenSignInInput>;

/** From a sign-in to its end. */
export type PatientSessionView = {
  id: string;
  /** "Firefox on Linux", or null where the app does not say. */
  device: string | null;
  /** The address without its last part. */
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

/** How a patient signs in; without a way they are reached by applications only. */
export type PatientSignInView = {
  ways: ('text_message' | 'password' | 'invitation')[];
  /** False until the first proof of a number or an address. */
  confirmed: boolean;
  /** The number that codes are sent to. */
  phone_number: string | null;
  phone_number_verified: boolean;
  email: string | null;
  email_verified: boolean;
  /** A new e-mail address that staff asked for, and that waits to be confirmed by a link that went there. */
  asked_email: { email: string; until: string } | null;
  /** Invitations that were sent, newest first; of very old ones it is not known where they went. */
  invitations: {
    id: string;
    at: string;
    by: string | null;
    /** An address or a number. */
    sent_to: string | null;
    state: 'open' | 'answered' | 'over' | null;
  }[];
  /** Since a change of an address was undone: what it takes to sign in again, the password of then or this clinic. */
  locked: { since: string; needs: 'password' | 'clinic' } | null;
  /** When staff gave the patient another way to sign in, and how they knew who it was; newest first. */
  helps: { id: string; at: string; by: string | null; way: 'email' | 'phone'; identity_check: string }[];
  /** Live ones, newest first. */
  sessions: PatientSessionView[];
  /** The latest that are over, newest first. */
  earlier: PatientSessionView[];
};

/** The token of the link in an invitation's mail. */
export const InvitationLinkInput = z.strictObject({ token: z.string().max(200) });
/** What the page behind that link says before anything is typed. */
export type InvitationLinkView = { clinic: string; email: string };
