import type { AddressChange } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';

/**
 * State before a change. `told` is the address that may undo it; `salt` identifies the password of that time, so that a
 * newer password is not taken for the owner's.
 */
export type PreviousAddress = { told: string; salt: string | null } & (
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

export const sealPreviousAddress = ({ cipher, tenantId }: Context, id: string, previous: PreviousAddress) =>
  cipher.seal(JSON.stringify(previous), boundTo(tenantId, id));

export const openPreviousAddress = (
  { cipher, tenantId }: Pick<Context, 'cipher' | 'tenantId'>,
  { id, kept: previous }: Pick<AddressChange, 'id' | 'kept'>,
): PreviousAddress => JSON.parse(cipher.open(previous, boundTo(tenantId, id)));
