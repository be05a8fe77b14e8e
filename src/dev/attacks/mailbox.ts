import { setTimeout as sleep } from 'node:timers/promises';

export type Message = { id: string; subject: string; text: string; receivedAt: string };

const PATIENCE_MS = 15_000;
const PAUSE_MS = 60;

/** Reads the messages to an address or number through the Inbox emulator's API. */
export function openMailbox(inbox: string) {
  async function read(to: string): Promise<Message[]> {
    const response = await fetch(`${inbox}/messages?${new URLSearchParams({ to })}`);
    return (await response.json()) as Message[];
  }
  /** Waits for the newest matching message. */
  async function awaitMessage(to: string, what: string, fits: (message: Message) => boolean): Promise<Message> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const received = (await read(to)).find(fits);
      if (received) return received;
      if (performance.now() > deadline) throw new Error(`${what} did not reach ${to}`);
      await sleep(PAUSE_MS);
    }
  }
  return {
    read,
    /** `but`: ids of messages to ignore. */
    async codeFor(to: string, { browser = '', but = [] }: { browser?: string; but?: string[] } = {}): Promise<string> {
      const fits = ({ id, text }: Message) => CODE.test(text) && text.includes(browser) && !but.includes(id);
      return CODE.exec((await awaitMessage(to, 'a code', fits)).text)![0];
    },
    /** Returns the token after `#` in the link to that page. */
    async tokenFor(to: string, page: string): Promise<string> {
      const link = new RegExp(`/${page}#(\\S+)`);
      return link.exec((await awaitMessage(to, `a link to ${page}`, ({ text }) => link.test(text))).text)![1]!;
    },
    async temporaryFor(to: string): Promise<string> {
      const fits = ({ text }: Message) => TEMPORARY.test(text);
      return TEMPORARY.exec((await awaitMessage(to, 'a temporary password', fits)).text)![0];
    },
    awaitText: (to: string, part: RegExp) =>
      awaitMessage(to, `a message with ${part}`, ({ subject, text }) => part.test(`${subject}\n${text}`)),
    codes: async (to: string) => (await read(to)).filter(({ text }) => CODE.test(text)).length,
    /** Waits long enough for pending messages to arrive. */
    settle: () => sleep(700),
  };
}
export type Mailbox = ReturnType<typeof openMailbox>;

export const CODE = /\b(?:\d{6}|\d{10})\b/;
const TEMPORARY = /\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/;
