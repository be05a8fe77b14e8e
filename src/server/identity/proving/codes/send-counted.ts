import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { PatientMessage } from '#server/messages/message.ts';
import { sendMessage } from '#server/messages/send-message.ts';
import type { CountedSend } from './count-send.ts';

/** Queues what somebody asked for; null: nothing is sent, for what went before stands for it. */
export const sendCode = (tx: Tx, ctx: Context, send: CountedSend, message: PatientMessage | null): Promise<void> =>
  sendMessage(tx, ctx, message ? { ...message, sendId: send.id } : { kind: 'nothing' });

/** The same of words without a code. */
export const sendNotice = (tx: Tx, ctx: Context, send: CountedSend, message: PatientMessage): Promise<void> =>
  sendCode(tx, ctx, send, send.earlier.length === 0 ? message : null);
