import type { Context, Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import type { Message } from './message.ts';

/** With the queue's growing pauses, some four minutes: as long as a code lives. */
const MAX_ATTEMPTS = 6;

const boundTo = (tenantId: string) => `jobs/send_message/${tenantId}`;

/** Queues a message in the caller's transaction. Its payload is encrypted: whoever reads the queue learns no code. */
export async function sendMessage(
  tx: Pick<Tx, '$executeRaw'>,
  { cipher, tenantId }: Pick<Context, 'cipher' | 'tenantId'>,
  message: Message,
): Promise<void> {
  const sealed = Buffer.from(cipher.seal(JSON.stringify(message), boundTo(tenantId))).toString('base64');
  await enqueue(tx, 'send_message', { tenantId, sealed }, { maxAttempts: MAX_ATTEMPTS });
}

export const openMessage = (
  { cipher }: Pick<Services, 'cipher'>,
  { tenantId, sealed }: Jobs['send_message'],
): Message => JSON.parse(cipher.open(Buffer.from(sealed, 'base64'), boundTo(tenantId)));
