import type { MessageChannel, MessageKind, UnsentReason } from '#contract/message-templates.ts';
import type { Patient } from '#generated/prisma/client.ts';
import { mayReceive } from '#server/consent/index.ts';
import type { Context } from '#server/core/context.ts';

type Message = {
  patient: Pick<Patient, 'id' | 'email' | 'phoneNumber'>;
  channel: MessageChannel;
  kind: MessageKind;
};
/** `why` is null when the message may be sent to the address. */
export type Recipient = { to: string; why: null } | { to: string | null; why: UnsentReason };

/** Returns the patient's address for a message, or why nothing is sent to it. */
export async function findRecipient(
  tx: Parameters<typeof mayReceive>[0],
  ctx: Pick<Context, 'cipher' | 'tenantId' | 'config'>,
  { patient, channel, kind }: Message,
): Promise<Recipient> {
  const to = (channel === 'email' ? patient.email : patient.phoneNumber) || null;
  const isSetUp = channel === 'email' ? ctx.config.mail !== null : ctx.config.twilio !== null;
  if (!isSetUp) return { to, why: 'not_set_up' };
  if (!to) return { to, why: 'no_address' };
  const why = await mayReceive(tx, ctx, {
    ...{ patientId: patient.id, channel, address: to },
    isReminder: kind === 'reminder',
  });
  return why === null ? { to, why } : { to, why };
}
