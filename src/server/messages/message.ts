/** What is sent, by purpose. Addresses are E.164 numbers or e-mails; codes are six or ten digits. Never health data. */
export type Message = PatientMessage | StaffMessage;

/** On which device a message was asked for, in words as `Firefox on Linux`, and when: who reads it knows whose it is. */
export type Asked = { device: string | null; at: string };
type Answering = { to: string; asked?: Asked };

/**
 * `patientId`: in whose language it is, where the address may not be theirs yet, or no more. `sendId`: where it is noted
 * whether it went, of what somebody asked for.
 */
export type PatientMessage = { patientId?: string; sendId?: string | null } & PatientMessageOf;

type PatientMessageOf =
  /** After many wrong passwords: `url` is the page that lets new devices sign in again; and to an address of nobody. */
  | { kind: 'sign_in_closed'; to: string; url: string; until: string }
  | { kind: 'sign_in_tried'; to: string }
  | ({ kind: 'sign_in_code' | 'phone_code' | 'email_code'; code: string; until: string } & Answering)
  /** `asked` of a confirmation is the sign-up that the code confirms. `url`: put in when it is sent, the clinic's own page for the code. */
  | ({ kind: 'confirmation_code' | 'reset_code'; code: string; until: string; url?: string } & Answering)
  /** To the address that the patient signs in with; what it is a code for is a change of either address. */
  | ({ kind: 'proof_code'; code: string; until: string } & Answering)
  /**
   * `code` is a temporary password, `url` the page that takes it, unless `address` or the clinic's own is in force;
   * `asked` where it is sent again because somebody asked.
   */
  | ({
      kind: 'invitation' | 'email_helped';
      code: string;
      url: string;
      address?: string | null;
      until: string;
    } & Answering)
  | { kind: 'phone_invitation'; to: string; address?: string | null; url?: string }
  /** The page where a subscription is paid, by text. */
  | { kind: 'payment_link'; to: string; url: string; until: string }
  /** The page where a subscription is managed, by text. */
  | { kind: 'manage_link'; to: string; url: string; until: string }
  /** To the owner of an address that somebody else tried to use: no code, and nothing changes. */
  | ({ kind: 'already_signed_up' | 'no_account' | 'email_in_use' | 'phone_in_use' } & Answering)
  /** No code for who has yet to confirm: on this device nobody signed up; or there is no password to replace yet. */
  | ({ kind: 'sign_up_elsewhere' | 'confirm_first' } & Answering)
  /** In place of a code by text: the phone answered STOP to `sender`, which sends codes. */
  | { kind: 'codes_stopped'; to: string; sender: string }
  /** After the fact, so that an owner notices what was not theirs. */
  | { kind: 'password_changed'; to: string }
  /** To the address before. `url` is the page that undoes it, where that is offered. */
  | ({ kind: 'email_changed'; url?: string; until?: string } & Answering)
  /** To the new address, when staff began the change: `url` is the page that confirms it. */
  | { kind: 'email_asked'; to: string; url: string; until: string }
  | { kind: 'phone_changed'; to: string; url?: string; until?: string }
  /** Signing in takes more than usual: `needs` says what. */
  | { kind: 'change_undone' | 'sign_in_paused'; to: string; needs: 'password' | 'clinic' }
  /** Staff gave the patient another way to sign in: to the new number, and to the address before. */
  | { kind: 'phone_helped' | 'sign_in_moved'; to: string }
  /** Nothing is sent; queued where somebody unknown was named, so that it takes as long. */
  | { kind: 'nothing' };

/** To a member of the clinic's own team, by e-mail; `url` is a page where a password is set. */
export type StaffMessage = { staffUserId: string; to: string } & (
  | { kind: 'staff_invitation' | 'staff_reset' | 'staff_sign_in_closed'; url: string; until: string }
  | { kind: 'staff_password_changed' | 'two_step_on' | 'two_step_off' }
  | { kind: 'recovery_code_used'; left: number }
  /** `receiver`: the host that does not take what happens here; `url`: the page where that is looked after. */
  | { kind: 'webhooks_failing' | 'webhooks_off'; receiver: string; url: string }
);
