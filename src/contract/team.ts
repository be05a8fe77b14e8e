import { z } from 'zod';
import { Id, text } from './conventions.ts';
import type { Role } from './settings.ts';

const StaffRole = z.enum(['practitioner', 'admin']);
const Email = z.email('is not an email address').max(254).toLowerCase();
/** Its rules are the service's to judge, in words for people; this only bounds the work. */
const NewPassword = z.string().max(1024);
/** One that is typed once more, to show who sits there. */
const OwnPassword = z.string().min(1, 'Enter your password.').max(1024);

/** Somebody who works at the clinic, on the Team page. */
export type MemberView = {
  id: string;
  name: string;
  email: string;
  role: Role;
  status: 'active' | 'invited' | 'disabled';
  /** Whether signing in takes a code of their app as well. */
  two_step: boolean;
  last_signed_in_at: string | null;
  /** Of somebody invited: until when the link in their mail works. */
  invitation_expires_at: string | null;
  /** On the list of the team: how many visits to come are theirs. */
  upcoming_visits?: number;
  created_at: string;
};

export const MemberIdInput = z.strictObject({ id: Id });
export type MemberIdInput = z.infer<typeof MemberIdInput>;
export const InviteMemberInput = z.strictObject({ email: Email, name: text(100), role: StaffRole });
export type InviteMemberInput = z.infer<typeof InviteMemberInput>;
export const ChangeRoleInput = z.strictObject({ id: Id, role: StaffRole });
export type ChangeRoleInput = z.infer<typeof ChangeRoleInput>;

/** One's own account in the portal. */
export type AccountView = {
  name: string;
  email: string;
  role: Role;
  two_step: {
    /** Since when it is on, or null. */
    turned_on_at: string | null;
    /** Not used yet. */
    recovery_codes_left: number;
    /** Whether it cannot be turned off: administrators in production. */
    required: boolean;
  };
};

export const RenameInput = z.strictObject({ name: text(100) });
export type RenameInput = z.infer<typeof RenameInput>;
export const ChangePasswordInput = z.strictObject({ current_password: OwnPassword, new_password: NewPassword });
export type ChangePasswordInput = z.infer<typeof ChangePasswordInput>;
export const PasswordInput = z.strictObject({ password: OwnPassword });
export type PasswordInput = z.infer<typeof PasswordInput>;
export const ConfirmTwoStepInput = z.strictObject({ code: z.string().trim().min(1, 'Enter the code.').max(20) });
export type ConfirmTwoStepInput = z.infer<typeof ConfirmTwoStepInput>;

/** For the authenticator app: the key as text, and the `otpauth://` address of the QR code. Shown until confirmed. */
export type TwoStepKeyView = { secret: string; uri: string };
/** Ten, each good once in place of a code of the app; the only time they are shown. */
export type RecoveryCodesView = { recovery_codes: string[] };

/** What a link from a mail opens. */
export type StaffLinkView = { purpose: 'invitation' | 'reset'; email: string; name: string; clinic: string };
export const OpenStaffLinkInput = z.strictObject({ token: z.string().max(200) });
export type OpenStaffLinkInput = z.infer<typeof OpenStaffLinkInput>;
export const UseStaffLinkInput = z.strictObject({
  token: z.string().max(200),
  /** Of somebody invited; left out, what the invitation says. */
  name: text(100).optional(),
  password: NewPassword,
});
export type UseStaffLinkInput = z.infer<typeof UseStaffLinkInput>;
export const RequestStaffResetInput = z.strictObject({
  email: Email,
  /** The solution of a challenge that a refusal gave. */
  proof_of_work: z.strictObject({ challenge: z.string().max(100), nonce: z.string().max(100) }).optional(),
});
export type RequestStaffResetInput = z.infer<typeof RequestStaffResetInput>;
