import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { PatientMessage } from '#server/messages/message.ts';
import { sendMessage } from '#server/messages/send-message.ts';
import type { CountedSend } from './count-send.ts';

/** Queues a requested message; with null nothing is sent, because an earlier message stands in for it. */
export const sendCode = (tx: Tx, ctx: Context, send: CountedSend, message: PatientMessage | null): Promise<void> =>
  sendMessage(tx, ctx, message ? { ...message, sendId: send.id } : { kind: 'nothing' });

/** Like `sendCode`, for a message without a code. */
export const sendNotice = (tx: Tx, ctx: Context, send: CountedSend, message: PatientMessage): Promise<void> =>
  sendCode(tx, ctx, send, send.earlier.length === 0 ? message : null);
