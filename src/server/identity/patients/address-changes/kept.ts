import type { AddressChange } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';

/**
 * What a change replaced. `told` is the address that may undo it; `salt` names the password of that time, so that one
 * set since is not taken for its owner's.
 */
export type Kept = { told: string; salt: string | null } & (
  | { kind: 'email' }
  | {
      kind: 'phone';
      /** What codes for signing in went to; null where the number is for reaching the patient only. */
      signIn: string | null;
      /** The primary number. */
      primary: string | null;
      verified: boolean;
      /** The new number, if it was none of the patient's before. */
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
