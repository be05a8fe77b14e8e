import type { AddressChange } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';

/**
 * State before a change. `told` is the address that may undo it; `salt` identifies the password of that time, so that a
 * newer password is not taken for the owner's.
 */
export type Kept = { told: string; salt: string | null } & (
  | { kind: 'email' }
  | {
      kind: 'phone';
      /** The number that sign-in codes went to; null if the number was for contact only. */
      signIn: string | null;
      /** The primary number. */
      primary: string | null;
      verified: boolean;
      /** The new number, if the patient did not have it before. */
      added: string | null;
    }
);

const boundTo = (tenantId: string, id: string) => `address_changes/${tenantId}/${id}/kept`;

export const sealKept = ({ cipher, tenantId }: Context, id: string, kept: Kept) =>
  cipher.seal(JSON.stringify(kept), boundTo(tenantId, id));

export const openKept = (
  { cipher, tenantId }: Pick<Context, 'cipher' | 'tenantId'>,
  { id, kept }: Pick<AddressChange, 'id' | 'kept'>,
): Kept => JSON.parse(cipher.open(kept, boundTo(tenantId, id)));
