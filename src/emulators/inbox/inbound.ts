import { randomBytes } from 'node:crypto';
import { ErrorReply, type Route, type World } from '../core/route.ts';
import { type InboxState, isBlocked, type Message, senderToRecipient, storeMessage } from './message.ts';
import { signature, type TwilioAccount } from './status-report.ts';

const WAIT_MS = 15_000;
const MAX_CHARACTERS = 1600;

/**
 * Twilio's opt-out keywords, matched when the text is only that word, and
 * its responses: https://help.twilio.com, "STOP filtering".
 */
const KEYWORDS: { keywords: string[]; blocks?: boolean; reply: string }[] = [
  {
    keywords: ['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout'],
    blocks: true,
    reply:
      'You have successfully been unsubscribed. You will not receive any more messages from this number. Reply START to resubscribe.',
  },
  {
    keywords: ['start', 'yes', 'unstop'],
    blocks: false,
    reply:
      'You have successfully been re-subscribed to messages from this number. Reply HELP for help. Reply STOP to unsubscribe. Msg&Data Rates May Apply.',
  },
  { keywords: ['help', 'info'], reply: 'Reply STOP to unsubscribe. Msg&Data Rates May Apply.' },
];

/**
 * `POST /messages/{id}/reply {text}`: the recipient of a text replies to its sender. The emulator
 * handles Twilio's keywords, then posts the text, signed, to the account's webhook and sends the
 * message that the webhook returns. The response contains the webhook's status.
 */
export function replyRoute(account?: TwilioAccount): Route<InboxState> {
  return {
    method: 'POST',
    path: '/messages/:id/reply',
    async handle({ params, body, headers }, world) {
      const message = world.state.messages.find(({ id }) => id === params.id);
      if (!message) throw controlError(404, `No message ${params.id}`);
      const { text, ...rest } = body as { text?: unknown };
      if (message.kind !== 'sms') throw controlError(400, 'Only a text message can be answered here');
      const isText = typeof text === 'string' && text !== '' && text.length <= MAX_CHARACTERS;
      if (!isText || Object.keys(rest).length > 0) throw controlError(400, `text is 1 to ${MAX_CHARACTERS} characters`);
      obey(world.state, message, text, world.clock.now());
      const webhook = account?.webhookUrl
        ? await postToWebhook(world, message, text, { ...account, webhookUrl: account.webhookUrl })
        : null;
      const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
      return isForm ? { status: 303, headers: { location: '/' } } : { status: 200, body: { webhook } };
    },
  };
}

function obey(state: InboxState, message: Message, text: string, now: number): void {
  const keyword = KEYWORDS.find(({ keywords }) => keywords.includes(text.trim().toLowerCase()));
  if (!keyword) return;
  const key = senderToRecipient(message.from, message.to[0]!);
  if (keyword.blocks !== undefined)
    state.blocked = [...(state.blocked ?? []).filter((one) => one !== key), ...(keyword.blocks ? [key] : [])];
  say(state, message, keyword.reply, now);
}

/** Stores a text to the person who replied, from the number that they replied to. */
const say = (state: InboxState, { from, to, tenant, staff }: Message, text: string, now: number): void =>
  void storeMessage(state, {
    ...{ kind: 'sms', receivedAt: new Date(now).toISOString(), from, to, subject: '', text, html: '' },
    ...{ attachments: [], tenant, staff },
  });

async function postToWebhook(
  world: World<InboxState>,
  message: Message,
  text: string,
  { sid, token, webhookUrl }: Required<TwilioAccount>,
): Promise<number | null> {
  const form = new URLSearchParams({
    MessageSid: `SM${randomBytes(16).toString('hex')}`,
    AccountSid: sid,
    ...(message.from.startsWith('MG') && { MessagingServiceSid: message.from }),
    From: message.to[0]!,
    To: message.from.startsWith('MG') ? '+12025550199' : message.from,
    Body: text,
    NumMedia: '0',
    NumSegments: '1',
  });
  try {
    const response = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature(token, webhookUrl, form) },
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(WAIT_MS),
    });
    const reply = /<Message>([^<]*)<\/Message>/.exec(await response.text())?.[1];
    if (reply && response.ok && !isBlocked(world.state, message.from, message.to[0]!))
      say(world.state, message, reply, world.clock.now());
    if (!response.ok) world.log(`the webhook for texts answered ${response.status}`);
    return response.status;
  } catch (error) {
    world.log(`the webhook for texts does not respond: ${(error as Error).message}`);
    return null;
  }
}

const controlError = (status: number, error: string) => new ErrorReply({ status, body: { error } });
