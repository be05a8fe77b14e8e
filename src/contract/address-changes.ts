import { z } from 'zod';
import { Id, text } from './conventions.ts';
import { MAX_IDENTITY_CHECK_LENGTH } from './limits.ts';

export const AddressChangeLinkInput = z.strictObject({ token: z.string().min(1).max(200) });
export type AddressChangeLinkInput = z.infer<typeof AddressChangeLinkInput>;

/** Portal: starts a change of a patient's email address; the change takes effect once the new address confirms it. */
export const RequestEmailChangeInput = z.strictObject({
  patient_id: Id,
  email: z.email().max(254).toLowerCase(),
  identity_check: text(MAX_IDENTITY_CHECK_LENGTH).min(3),
});
export type RequestEmailChangeInput = z.infer<typeof RequestEmailChangeInput>;

/** Shown on the page that confirms a new email address. */
export type RequestedEmailView = {
  clinic: string;
  /** The new address, masked so that only its owner recognises it. */
  address: string;
  until: string;
  /** `over`: expired, withdrawn, or superseded by another change. */
  state: 'valid' | 'confirmed' | 'over';
};

/** Shown on the page behind the link that is sent to an address when it is replaced. */
export type AddressChangeView = {
  clinic: string;
  kind: 'email' | 'phone_number';
  /** The previous address, masked so that only its owner recognises it. */
  address: string;
  changed_at: string;
  /** When the link expires. */
  until: string;
  /** `over`: expired, or an earlier change was undone, or staff resolved it. */
  state: 'valid' | 'undone' | 'over';
  /** Set once undone; false when another account has the address by then. */
  restored: boolean | null;
  /** What sign-in requires after the undo, while that is more than usual. */
  needs: 'password' | 'clinic' | null;
};
