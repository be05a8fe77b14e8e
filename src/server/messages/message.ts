/** What is sent, by purpose. Addresses are E.164 numbers or e-mails; codes are six digits. Never health data. */
export type Message = PatientMessage | StaffMessage;

export type PatientMessage =
  | { kind: 'sign_in_code' | 'phone_code'; to: string; code: string; until: string }
  | { kind: 'confirmation_code' | 'reset_code' | 'email_code'; to: string; code: string; until: string }
  /** `code` is a temporary password, `url` the page that takes it. */
  | { kind: 'invitation'; to: string; code: string; url: string; until: string }
  | { kind: 'phone_invitation'; to: string }
  /** To the owner of an address that somebody else tried to use: no code, and nothing changes. */
  | { kind: 'already_signed_up' | 'no_account' | 'email_in_use' | 'phone_in_use'; to: string }
  /** After many wrong passwords: `url` is the page that lets new devices sign in again; and to an address of nobody. */
  | { kind: 'sign_in_closed'; to: string; url: string; until: string }
  | { kind: 'sign_in_tried'; to: string }
  /** After the fact, so that an owner notices what was not theirs. */
  | { kind: 'password_changed' | 'email_changed'; to: string }
  /** Nothing is sent; queued where somebody unknown was named, so that it takes as long. */
  | { kind: 'nothing' };

/** To the clinic's own team, by e-mail; `url` is a page where a password is set, or new devices are let in again. */
export type StaffMessage =
  | { kind: 'staff_invitation' | 'staff_reset' | 'staff_sign_in_closed'; to: string; url: string; until: string }
  | { kind: 'staff_password_changed' | 'two_step_on' | 'two_step_off'; to: string }
  | { kind: 'recovery_code_used'; to: string; left: number };
