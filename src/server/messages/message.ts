/**
 * Messages by purpose. Addresses are E.164 numbers or emails; codes have six or ten digits. They never contain health
 * data.
 */
export type Message = PatientMessage | StaffMessage;

/**
 * The device that requested a message, for example `Firefox on Linux`, and the time, so that the reader can recognize
 * it.
 */
export type RequestedBy = { device: string | null; at: string };
type OnRequest = { to: string; asked?: RequestedBy };

/**
 * `patientId`: the patient whose language applies, where the address may not be theirs yet or no longer. `sendId`: the
 * `code_sends` row that records whether a requested message was sent.
 */
export type PatientMessage = { patientId?: string; sendId?: string | null } & PatientMessageOf;

type PatientMessageOf =
  /**
   * After many wrong passwords: `url` unlocks sign-in on new devices. `sign_in_tried` goes to an address without an
   * account.
   */
  | { kind: 'sign_in_closed'; to: string; url: string; until: string }
  | { kind: 'sign_in_tried'; to: string }
  | ({ kind: 'sign_in_code' | 'phone_code' | 'email_code'; code: string; until: string } & OnRequest)
  /**
   * `asked` of a confirmation describes the sign-up that the code confirms. `url` is the clinic's own page for the
   * code, added at delivery.
   */
  | ({ kind: 'confirmation_code' | 'reset_code'; code: string; until: string; url?: string } & OnRequest)
  /** To the address that the patient signs in with; the code permits a change of either address. */
  | ({ kind: 'proof_code'; code: string; until: string } & OnRequest)
  /**
   * `code` is a temporary password; `url` the page that takes it, unless `address` or the clinic's own page is in
   * effect; `asked` is set when it is sent again on request.
   */
  | ({
      kind: 'invitation' | 'email_helped';
      code: string;
      url: string;
      address?: string | null;
      until: string;
    } & OnRequest)
  | { kind: 'phone_invitation'; to: string; address?: string | null; url?: string }
  /** The page where a subscription is paid, by text message. */
  | { kind: 'payment_link'; to: string; url: string; until: string }
  /** The page where a subscription is managed, by text message. */
  | { kind: 'manage_link'; to: string; url: string; until: string }
  /** To the owner of an address that someone else tried to use: no code, and nothing changes. */
  | ({ kind: 'already_signed_up' | 'no_account' | 'email_in_use' | 'phone_in_use' } & OnRequest)
  /** No code: this device has no sign-up, or the sign-up is unconfirmed and has no password to replace yet. */
  | ({ kind: 'sign_up_elsewhere' | 'confirm_first' } & OnRequest)
  /** Replaces a code by text message: the phone answered STOP to `sender`, which sends codes; null for several numbers. */
  | { kind: 'codes_stopped'; to: string; sender: string | null }
  /** Sent after the change, so that the owner notices one that was not theirs. */
  | { kind: 'password_changed'; to: string }
  /** To the old address. `url` undoes the change, where that is offered. */
  | ({ kind: 'email_changed'; url?: string; until?: string } & OnRequest)
  /** To the new address of a change that staff requested: `url` is the page that confirms it. */
  | { kind: 'email_asked'; to: string; url: string; until: string }
  | { kind: 'phone_changed'; to: string; url?: string; until?: string }
  /** Signing in requires more than usual, as `needs` says. */
  | { kind: 'change_undone' | 'sign_in_paused'; to: string; needs: 'password' | 'clinic' }
  /** Staff gave the patient another way to sign in: to the new number, and to the old address. */
  | { kind: 'phone_helped' | 'sign_in_moved'; to: string }
  /** No message; queued for an unknown address, so that the request takes equally long. */
  | { kind: 'nothing' };

/** Email to a staff user; `url` is a page where a password is set. */
export type StaffMessage = { staffUserId: string; to: string } & (
  | { kind: 'staff_invitation' | 'staff_reset' | 'staff_sign_in_closed'; url: string; until: string }
  | { kind: 'staff_password_changed' | 'two_step_on' | 'two_step_off' }
  | { kind: 'recovery_code_used'; left: number }
  /** `receiver`: the host that rejects events; `url`: the page of its settings. */
  | { kind: 'webhooks_failing' | 'webhooks_off'; receiver: string; url: string }
);
