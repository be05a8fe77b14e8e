import { type Services, systemContext } from '#server/core/context.ts';
import type { Message } from '#server/messages/index.ts';
import { sendMessage } from '#server/messages/index.ts';
import { recordDeliveryError } from './record-delivery-error.ts';
import { numberOf } from './signals.ts';

/** Codes sent by text. */
const CODES: Message['kind'][] = ['sign_in_code', 'phone_code', 'proof_code'];

/**
 * Handles a message that its provider rejected because of the address: records it and stops the attempts. In place of a
 * code after STOP, the patient gets an email about how to receive codes again, if an email address is known. The
 * response to the code's request does not reveal this.
 * @returns false if a retry makes sense
 */
export async function handleDeliveryError(
  services: Services,
  tenantId: string,
  message: Exclude<Message, { kind: 'nothing' }>,
  error: unknown,
): Promise<boolean> {
  const { to, kind } = message;
  const why = await recordDeliveryError(services, to, error);
  if (!why) return false;
  services.log.warn({ tenantId, kind, why }, 'a message was rejected because of its address');
  const sender = services.config.twilio?.from;
  if (why !== 'stopped' || !sender || !CODES.includes(kind)) return true;
  const ctx = systemContext(services, tenantId, 'messages');
  const patient = await ctx.db.patient.findFirst({
    where: { tenantId, signIn: { phoneNumber: to }, status: { not: 'archived' } },
    select: { email: true },
  });
  const email = patient?.email;
  if (email)
    await ctx.db.$transaction((tx) =>
      sendMessage(tx, ctx, { kind: 'codes_stopped', to: email, sender: numberOf(sender) }),
    );
  return true;
}
