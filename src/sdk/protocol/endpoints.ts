import type { Kdf } from './kdf.ts';
import type { SignUpAttributes } from './patient-attributes.ts';

/** What the server stores instead of a password. Lowercase hex. */
export type WireRegistration = { identity: string; salt: string; verifier: string; kdf: Kdf };

export type WireUser = {
  user_id: string;
  username: string;
  user_type: 'Patient';
  tenant_id: string;
  email: string | null;
  email_verified: boolean;
  phone_number: string | null;
  phone_number_verified: boolean;
  /** Whether the user signs in by email and password, including a temporary one. */
  has_password: boolean;
  groups: string[];
};

export type WireTokens = {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  refresh_token: string;
  /** RFC 3339; the end of the 30 days, unchanged by refreshes. */
  refresh_expires_at: string;
  user: WireUser;
  /**
   * Returned by a sign-in on a device that this account did not know: the device's secret. The client stores it for
   * this account beyond the sign-out, and sends it with the steps that take a `device`.
   */
  device?: string;
};

/** The password is right, but temporary, or it must be replaced. `continuation` allows one `completeInvitation`. */
export type WireNewPasswordRequired = { new_password_required: true; continuation: string; expires_in: number };

type Client = { client_id: string };
type Email = { email: string };
type Code = { code: string };
type Device = { device?: string };
/**
 * 32 random bytes of this device, lowercase hex: a sign-up or reset can only be completed by the device that started
 * it.
 */
type Attempt = { attempt: string };
/** Either is sufficient; `proof` is from the response of `proof`. */
type Shown = Device & { proof?: string };
type Password = { handshake: string; M1: string };
/** The solution of the challenge in an error's `meta.proof_of_work`. */
type Work = { proof_of_work?: { challenge: string; nonce: string } };
/** Seconds until another code can be requested; also for addresses without an account. */
type Sent = { resend_after: number };
type Nothing = Record<never, never>;

/** Body and response of each endpoint of `{PUBLIC_URL}/identity`; `null` is an empty response (202 or 204). */
export type Wire = {
  passwordlessSignUp: {
    body: Client & Attempt & { phone_number: string; attributes: SignUpAttributes };
    response: null;
  };
  passwordlessSignIn: {
    body: Client & Device & Work & { phone_number: string };
    /**
     * In seconds. `code_sender`: the number that sends codes by text message, the same for all callers; null when there
     * is none.
     */
    response: Sent & { challenge: string; expires_in: number; code_sender?: string | null };
  };
  passwordlessComplete: { body: Code & Device & Partial<Attempt> & { challenge: string }; response: WireTokens };
  signUp: {
    body: Client & Email & Attempt & Work & { srp: WireRegistration; attributes: SignUpAttributes };
    response: Sent;
  };
  confirm: { body: Client & Email & Attempt & Code; response: null };
  resend: { body: Client & Email & Device & Partial<Attempt> & Work; response: Sent };
  srpStart: {
    /** With `attempt` for a sign-up that waits for its code, without it for the account. */
    body: Client & Email & Device & Partial<Attempt> & { A: string };
    response: { handshake: string; identity: string; salt: string; B: string; kdf: Kdf; expires_in: number };
  };
  srpFinish: {
    body: Device & Password;
    response: { M2: string } & (WireTokens | WireNewPasswordRequired);
  };
  completeInvitation: { body: Device & { continuation: string; srp: WireRegistration }; response: WireTokens };
  reset: { body: Client & Email & Device & Attempt & Work; response: Sent };
  completeReset: { body: Client & Email & Attempt & Code & { srp: WireRegistration }; response: null };
  signOut: { body: Nothing; response: null };
  /** Sends a code to the address that the patient signs in with, for `proof`. */
  proofCode: { body: Work; response: Sent };
  /**
   * With the password or that code: proves the patient's identity for some seconds, in place of a known device. `M2`
   * with a password.
   */
  proof: { body: Password | Code; response: { proof: string; expires_in: number; M2?: string } };
  updateEmail: { body: Email & Shown & Work; response: Sent };
  verifyEmail: { body: Code & Shown; response: WireUser };
  updatePhone: { body: Shown & Work & { phone_number: string }; response: Sent };
  verifyPhone: { body: Code & Shown; response: WireUser };
  /** `handshake` and `M1` prove the old password. */
  updatePassword: { body: Password & { srp: WireRegistration }; response: { M2: string } };
};

/** Paths below `{PUBLIC_URL}/identity`. */
export const ENDPOINTS = {
  passwordlessSignUp: 'POST /passwordless/sign_up',
  passwordlessSignIn: 'POST /passwordless/sign_in',
  passwordlessComplete: 'POST /passwordless/complete',
  signUp: 'POST /credentials/sign_up',
  confirm: 'POST /credentials/confirm',
  resend: 'POST /credentials/resend',
  srpStart: 'POST /credentials/srp/start',
  srpFinish: 'POST /credentials/srp/finish',
  completeInvitation: 'POST /credentials/complete_invitation',
  reset: 'POST /credentials/reset',
  completeReset: 'POST /credentials/reset/complete',
  signOut: 'POST /user/sign_out',
  proofCode: 'POST /user/proof/code',
  proof: 'POST /user/proof',
  updateEmail: 'PATCH /user/email',
  verifyEmail: 'POST /user/email/verify',
  updatePhone: 'PATCH /user/phone',
  verifyPhone: 'POST /user/phone/verify',
  updatePassword: 'PUT /user/password',
} as const satisfies Record<keyof Wire, string>;

export type Endpoint = keyof Wire;

/** Form-encoded, RFC 6749. A refresh returns `WireTokens`. */
export const TOKEN_PATH = '/oauth2/token';
/** RFC 7009. */
export const REVOKE_PATH = '/oauth2/revoke';
