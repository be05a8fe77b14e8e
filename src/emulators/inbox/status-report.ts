import { createHmac } from 'node:crypto';
import { ErrorReply, type Route, type World } from '../core/route.ts';
import type { InboxState, Message } from './message.ts';

export interface TwilioAccount {
  sid: string;
  token: string;
  /** Receives texts to the account's numbers. */
  webhookUrl?: string;
}

const WAIT_MS = 15_000;
const STATUSES = ['queued', 'sending', 'sent', 'delivered', 'undelivered', 'failed', 'read'];

type Report = { status: string; error_code?: number };

/**
 * `POST /messages/{id}/status {status, error_code}`: makes Twilio report a text's delivery
 * status to its status callback. The response contains the callback's status, or null.
 */
export function statusRoute(account?: TwilioAccount): Route<InboxState> {
  return {
    method: 'POST',
    path: '/messages/:id/status',
    async handle({ params, body }, world) {
      const message = world.state.messages.find(({ id }) => id === params.id);
      if (!message?.sid) throw controlError(404, `No text ${params.id}`);
      const { status, error_code, ...rest } = body as { status?: unknown; error_code?: unknown };
      const isKnown = typeof status === 'string' && STATUSES.includes(status);
      if (!isKnown || Object.keys(rest).length > 0) throw controlError(400, `status is one of ${STATUSES.join(', ')}`);
      if (error_code !== undefined && !Number.isInteger(error_code)) throw controlError(400, 'error_code is a number');
      if (!account) throw controlError(400, 'Only an account with a token signs reports');
      const report = { status, ...(error_code !== undefined && { error_code: error_code as number }) };
      return { status: 200, body: { webhook: await sendStatusReport(world, message, report, account) } };
    },
  };
}

/**
 * Posts a signed status report to the message's status callback.
 * @returns the callback's HTTP status; null without a callback or when the request fails
 */
export async function sendStatusReport(
  world: World<InboxState>,
  { sid, statusCallback, from, to }: Message,
  { status, error_code }: Report,
  account: TwilioAccount,
): Promise<number | null> {
  if (!sid || !statusCallback) return null;
  const form = new URLSearchParams({
    ...{ MessageSid: sid, SmsSid: sid, AccountSid: account.sid, ApiVersion: '2010-04-01' },
    ...(from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from }),
    ...{ To: to[0]!, MessageStatus: status, SmsStatus: status },
    ...(error_code !== undefined && { ErrorCode: String(error_code) }),
  });
  try {
    const response = await fetch(statusCallback, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature(account.token, statusCallback, form) },
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(WAIT_MS),
    });
    if (!response.ok) world.log(`the webhook for reports answered ${response.status}`);
    return response.status;
  } catch (error) {
    world.log(`the webhook for reports does not respond: ${(error as Error).message}`);
    return null;
  }
}

export function signature(token: string, url: string, form: URLSearchParams): string {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha1', token)
    .update(url + sorted.flat().join(''))
    .digest('base64');
}

const controlError = (status: number, error: string) => new ErrorReply({ status, body: { error } });
