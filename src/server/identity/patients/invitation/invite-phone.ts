import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { type Fault, refuse } from '#server/core/errors.ts';
import { sendMessage } from '#server/messages/send-message.ts';

type Invitation = { patientId: string; number: string; address: string | null; source?: Fault['source'] };

/** Lets a patient sign in by codes to this number, and texts that they can. Error: conflict where another one does. */
export async function invitePhone(
  tx: Tx,
  ctx: Context,
  { patientId, number, address, source }: Invitation,
): Promise<void> {
  const { tenantId } = ctx;
  if (await tx.patientSignIn.findFirst({ where: { tenantId, phoneNumber: number } }))
    throw refuse('conflict', 'Another patient signs in with this number.', source ? { source } : {});
  await tx.patientSignIn.create({ data: { tenantId, patientId, phoneNumber: number, invitationUrl: address } });
  await sendMessage(tx, ctx, { kind: 'phone_invitation', to: number, address });
}
