import { z } from 'zod';
import { Id, text } from './conventions.ts';

export const AddressChangeLinkInput = z.strictObject({ token: z.string().min(1).max(200) });
export type AddressChangeLinkInput = z.infer<typeof AddressChangeLinkInput>;

/** Portal: begins a change of the e-mail address of a patient who signs in; the new address confirms it. */
export const AskEmailChangeInput = z.strictObject({
  patient_id: Id,
  email: z.email().max(254).toLowerCase(),
  identity_check: text(500).min(3),
});
export type AskEmailChangeInput = z.infer<typeof AskEmailChangeInput>;

/** What the page shows that confirms a new e-mail address. */
export type AskedEmailView = {
  clinic: string;
  /** The new address, as far as its owner recognises it. */
  address: string;
  until: string;
  /** `over`: too late, taken back, or another change came first. */
  state: 'valid' | 'confirmed' | 'over';
};

/** What the page behind the link shows that went to an address when it was replaced. */
export type AddressChangeView = {
  clinic: string;
  kind: 'email' | 'phone_number';
  /** The address before, as far as its owner recognises it. */
  address: string;
  changed_at: string;
  /** When the link stops working. */
  until: string;
  /** `over`: too late, or an earlier change was undone, or staff helped. */
  state: 'valid' | 'undone' | 'over';
  /** Once undone: false where the address is somebody else's by now. */
  restored: boolean | null;
  /** What signing in takes once it is undone, as long as that is more than usual. */
  needs: 'password' | 'clinic' | null;
};
