import { z } from 'zod';

export const AddressChangeLinkInput = z.strictObject({ token: z.string().min(1).max(200) });
export type AddressChangeLinkInput = z.infer<typeof AddressChangeLinkInput>;

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
