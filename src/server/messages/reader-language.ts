import type { MessageSettings } from '#contract/message-settings.ts';
import type { Services } from '#server/core/context.ts';
import type { Message } from './message.ts';

/**
 * Returns the recipient's likely languages, best first: the patient's, then the clinic's. Without a patient id it is
 * looked up by address, only at delivery, so that neither a response nor its time reveals it.
 */
export async function readerLanguages(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  message: Exclude<Message, { kind: 'nothing' }>,
): Promise<(string | null)[]> {
  if ('staffUserId' in message) return [];
  const db = database.forTenant(tenantId);
  const { to, patientId } = message;
  const whose = patientId ? { id: patientId } : to.startsWith('+') ? { signIn: { phoneNumber: to } } : { email: to };
  const [patient, row] = await Promise.all([
    db.patient.findFirst({ where: { tenantId, ...whose }, select: { language: true } }),
    db.messageSettings.findFirst({ where: { tenantId }, select: { settings: true } }),
  ]);
  const { language } = (row?.settings ?? {}) as Partial<MessageSettings>;
  return [patient?.language ?? null, language ?? null];
}
