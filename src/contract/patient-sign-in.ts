import { z } from 'zod';
import { Id } from './conventions.ts';

export const EndSessionInput = z.strictObject({ patient_id: Id, session_id: Id });
export type EndSessionInput = z.infer<typeof EndSessionInput>;
export const PatientSessionsInput = z.strictObject({ patient_id: Id });
export type PatientSessionsInput = z.infer<typeof PatientSessionsInput>;

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
  end_reason: 'signed_out' | 'revoked' | 'refresh_token_reused' | 'password_changed' | 'archived' | 'expired' | null;
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
  /** Live ones, newest first. */
  sessions: PatientSessionView[];
  /** The latest that are over, newest first. */
  earlier: PatientSessionView[];
};
