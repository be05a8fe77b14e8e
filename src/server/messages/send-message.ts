import type { Context, Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import type { Message } from './message.ts';

/** About four minutes with the queue's backoff: as long as a code is valid. */
const MAX_ATTEMPTS = 6;

const boundTo = (tenantId: string) => `jobs/send_message/${tenantId}`;

/** Queues a message in the caller's transaction. Its payload is encrypted, so that the queue reveals no codes. */
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
