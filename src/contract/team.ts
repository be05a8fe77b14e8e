import { z } from 'zod';
import { Id, text } from './conventions.ts';
import { PRACTITIONER_OPTIONS, type PractitionerOption, ROLES, type Role } from './roles.ts';

const StaffRole = z.enum(ROLES);
const Email = z.email('is not an email address').max(254).toLowerCase();
/** The service validates password rules, with messages for users; this only limits the size. */
const NewPassword = z.string().max(1024);
/** The staff user's current password, to confirm their identity. */
const OwnPassword = z.string().min(1, 'Enter your password.').max(1024);

/** A staff user on the Team page. */
export type MemberView = {
  id: string;
  name: string;
  email: string;
  role: Role;
  status: 'active' | 'invited' | 'disabled';
  /** Whether sign-in also requires a code from an authenticator app. */
  two_step: boolean;
  last_signed_in_at: string | null;
  /** For an invited staff user: when the link in the email expires. */
  invitation_expires_at: string | null;
  /** In the team list: the number of the staff user's upcoming appointments. */
  upcoming_visits?: number;
  /** In the team list: the number of open tasks that are assigned to the staff user. */
  open_tasks?: number;
  created_at: string;
};

export const MemberIdInput = z.strictObject({ id: Id });
export type MemberIdInput = z.infer<typeof MemberIdInput>;
export const InviteMemberInput = z.strictObject({ email: Email, name: text(100), role: StaffRole });
export type InviteMemberInput = z.infer<typeof InviteMemberInput>;
export const ChangeRoleInput = z.strictObject({ id: Id, role: StaffRole });
export type ChangeRoleInput = z.infer<typeof ChangeRoleInput>;

/** What the clinic lets its practitioners do in addition to their role. */
export const PractitionerOptionInput = z.strictObject({ option: z.enum(PRACTITIONER_OPTIONS), allowed: z.boolean() });
export type PractitionerOptionInput = z.infer<typeof PractitionerOptionInput>;
export type PractitionerOptionsView = { options: PractitionerOption[] };

/** The staff user's own account in the portal. */
export type AccountView = {
  name: string;
  email: string;
  role: Role;
  two_step: {
    /** When it was turned on, or null. */
    turned_on_at: string | null;
    /** Unused recovery codes. */
    recovery_codes_left: number;
    /** Whether it cannot be turned off: in production, for refunds, exports and administration. */
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

/**
 * For the authenticator app: the key as text, and the `otpauth://` URL of the QR code. Returned until it is confirmed.
 */
export type TwoStepKeyView = { secret: string; uri: string };
/** Ten recovery codes, each valid once instead of a code from the app; returned only once. */
export type RecoveryCodesView = { recovery_codes: string[] };

/** The data behind a link from an email. */
export type StaffLinkView = { purpose: 'invitation' | 'reset'; email: string; name: string; clinic: string };
export const OpenStaffLinkInput = z.strictObject({ token: z.string().max(200) });
export type OpenStaffLinkInput = z.infer<typeof OpenStaffLinkInput>;
export const UseStaffLinkInput = z.strictObject({
  token: z.string().max(200),
  /** For an invited staff user; defaults to the name in the invitation. */
  name: text(100).optional(),
  password: NewPassword,
});
export type UseStaffLinkInput = z.infer<typeof UseStaffLinkInput>;
export const RequestStaffResetInput = z.strictObject({
  email: Email,
  /** The solution of a challenge from an error response. */
  proof_of_work: z.strictObject({ challenge: z.string().max(100), nonce: z.string().max(100) }).optional(),
});
export type RequestStaffResetInput = z.infer<typeof RequestStaffResetInput>;
