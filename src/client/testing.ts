import { CarelaneApiError } from './carelane-api-error.ts';

/** An email or text message that a sandbox has sent. */
export type SentMessage = {
  id: string;
  kind: 'email' | 'sms';
  receivedAt: string;
  from: string;
  to: string[];
  /** Empty for a text message. */
  subject: string;
  text: string;
  html: string;
  /** The code of six or ten digits in the text, if any. */
  code: string | null;
};

export type NextMessageOptions = {
  /** URL of the inbox, printed when the sandbox starts. */
  inboxUrl: string;
  /** An email address, or a phone number in E.164. */
  to: string;
  /** The id of a message, or an instant: earlier messages are ignored. Without it, the latest message is returned. */
  after?: string | Date;
  /** Timeout in seconds. Default: 20. */
  wait?: number;
};

/** Six or ten digits that are not part of a link. */
const CODE = /(?<![\w+.#/=-])(?:\d{6}|\d{10})(?![\w-]|\.\w)/;

/** Maximum wait of one request to the inbox. */
const MAX_WAIT_S = 20;

/**
 * Waits for the next email or text message that a sandbox sends to an address.
 * @throws CarelaneApiError `timeout` when none arrives
 */
export async function nextMessage({ inboxUrl, to, after, wait = 20 }: NextMessageOptions): Promise<SentMessage> {
  const until = Date.now() + wait * 1000;
  const from = after instanceof Date ? after.toISOString() : after;
  do {
    const remainingSeconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    const query = new URLSearchParams({
      to,
      ...(from && { after: from }),
      wait: String(Math.min(remainingSeconds, MAX_WAIT_S)),
    });
    const response = await fetch(`${inboxUrl.replace(/\/+$/, '')}/messages?${query}`);
    if (response.status === 429) {
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      continue;
    }
    if (!response.ok)
      throw new CarelaneApiError('unexpected_answer', `The inbox says: ${(await response.text()).slice(0, 500)}`, {
        status: response.status,
      });
    const messages = (await response.json()) as Omit<SentMessage, 'code'>[];
    // Newest first.
    const message = from === undefined ? messages[0] : messages.at(-1);
    if (message) return { ...message, code: CODE.exec(message.text)?.[0] ?? null };
  } while (Date.now() < until);
  throw new CarelaneApiError('timeout', `Nothing was sent to ${to} within ${wait} seconds.`);
}
