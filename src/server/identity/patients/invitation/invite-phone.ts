import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, type Fault } from '#server/core/errors.ts';
import { sendMessage } from '#server/messages/index.ts';
import { releaseAddress } from '../address-changes/release-address.ts';
import { recordInvitation } from './sent-invitations.ts';

type Invitation = { patientId: string; number: string; address: string | null; source?: Fault['source'] };

/**
 * Lets a patient sign in by codes to this number and sends a text message about it. Ends an unconfirmed sign-up with
 * the number. The caller holds the number's lock.
 * @throws `conflict` if another patient signs in with it
 */
export async function invitePhone(
  tx: Tx,
  ctx: Context,
  { patientId, number, address, source }: Invitation,
): Promise<void> {
  const { tenantId } = ctx;
  if (!(await releaseAddress(tx, ctx, { patientId, phoneNumber: number })))
    throw apiError('conflict', 'Another patient signs in with this number.', source ? { source } : {});
  await tx.patientSignIn.create({ data: { tenantId, patientId, phoneNumber: number, invitationUrl: address } });
  await recordInvitation(tx, ctx, { patientId, to: number, expiresAt: null });
  await sendMessage(tx, ctx, { kind: 'phone_invitation', to: number, address });
}
