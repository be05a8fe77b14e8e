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
  /** After the fact, so that an owner notices what was not theirs. */
  | { kind: 'password_changed' | 'email_changed'; to: string }
  /** Nothing is sent; queued where somebody unknown was named, so that it takes as long. */
  | { kind: 'nothing' };

/** To a member of the clinic's own team, by e-mail; `url` is a page where a password is set. */
export type StaffMessage = { staffUserId: string; to: string } & (
  | { kind: 'staff_invitation' | 'staff_reset'; url: string; until: string }
  | { kind: 'staff_password_changed' | 'two_step_on' | 'two_step_off' }
  | { kind: 'recovery_code_used'; left: number }
);
