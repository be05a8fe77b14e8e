import { type Services, systemContext } from '#server/core/context.ts';
import type { Message } from '#server/messages/message.ts';
import { sendMessage } from '#server/messages/send-message.ts';
import { noteRefusal } from './note-refusal.ts';

/** Codes that come by text. */
const CODES: Message['kind'][] = ['sign_in_code', 'phone_code', 'proof_code'];

/**
 * What becomes of a message that its provider refused for the address's sake: it is written down and not tried again, and
 * in place of a code for who once answered STOP a mail says how codes come back, where the patient has an address. No
 * answer to who asked for the code knows of it. @returns false where it is worth another try
 */
export async function takeRefusal(
  services: Services,
  tenantId: string,
  message: Exclude<Message, { kind: 'nothing' }>,
  error: unknown,
): Promise<boolean> {
  const { to, kind } = message;
  const why = await noteRefusal(services, to, error);
  if (!why) return false;
  services.log.warn({ tenantId, kind, why }, 'message refused for its address');
  const sender = services.config.twilio?.from;
  if (why !== 'stopped' || !sender || !CODES.includes(kind)) return true;
  const ctx = systemContext(services, tenantId, 'messages');
  const patient = await ctx.db.patient.findFirst({
    where: { tenantId, signIn: { phoneNumber: to }, status: { not: 'archived' } },
    select: { email: true },
  });
  const email = patient?.email;
  if (email) await ctx.db.$transaction((tx) => sendMessage(tx, ctx, { kind: 'codes_stopped', to: email, sender }));
  return true;
}
