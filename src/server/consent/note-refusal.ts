import type { Services } from '#server/core/context.ts';
import { lockPerson } from '#server/core/lock-person.ts';
import { latestSignals, type Signal, writeSignal } from './signals.ts';

type Refused = {
  twilioCode?: unknown;
  sender?: unknown;
  responseCode?: unknown;
  response?: unknown;
  command?: unknown;
};

/** Who answered STOP to this sender. */
const TWILIO_STOPPED = 21610;
/** What is no number, or none that takes texts: https://www.twilio.com/docs/api/errors */
const TWILIO_NO_NUMBER = [21211, 21614, 30005, 30006];
/** A mailbox that is not there, or is shut. Every other 5xx may be of our making: too large, a policy, no room. */
const NO_MAILBOX = [550, 551, 553];
const NOT_THERE = /\b5\.(?:1\.(?:1|2|3|6|10)|2\.1)\b/;
/** Also of our making: who we are or say we are. Servers say so where the address is named, which is of every address then. */
const OTHER_REASONS = /\b5\.(?:[3-7]\.\d+|2\.[2-9]|1\.[78])\b/;
/** The same of servers that give no number that says it. */
const OTHER_WORDS =
  /relay|rcpthosts|authenti|sender|\b(?:spf|rate|later|full|quota)\b|dkim|dmarc|spam|polic|bl[ao]ck.?list|reputation|too many/i;
const ADDRESSES = /<[^>]*>|\S+@\S+/g;

/** What a refusal says of the address itself, or null where it says nothing of it: then it is worth another try. */
export function refusalOfAddress(error: unknown): Pick<Signal, 'because' | 'sender'> | null {
  const { twilioCode, sender, responseCode, response, command } = (error ?? {}) as Refused;
  if (twilioCode === TWILIO_STOPPED && typeof sender === 'string') return { because: 'stop', sender };
  if (typeof twilioCode === 'number' && TWILIO_NO_NUMBER.includes(twilioCode)) return { because: 'bounced' };
  const said = typeof response === 'string' ? response.replace(ADDRESSES, '') : '';
  const isDead =
    command === 'RCPT TO' &&
    NO_MAILBOX.includes(Number(responseCode)) &&
    (NOT_THERE.test(said) || !(OTHER_REASONS.test(said) || OTHER_WORDS.test(said)));
  return isDead ? { because: 'bounced' } : null;
}

/**
 * Writes down what a provider's refusal of a message says of its address, once: from then on nothing is sent there that
 * nobody asked for. @returns why nothing more will come of trying, or null
 */
export async function noteRefusal(
  services: Services,
  to: string,
  error: unknown,
): Promise<'stopped' | 'bounced' | null> {
  return note(services, to, refusalOfAddress(error));
}

/**
 * The same of a report that came after the message was taken. One that is told again is none that is new, even where the
 * address has been asked for again meanwhile.
 */
export async function noteReport(
  services: Services,
  to: string,
  { sid, ...refused }: { twilioCode: number | null; sender: string; sid: string },
): Promise<void> {
  if (/^\+[1-9]\d{6,14}$/.test(to)) await note(services, to, refusalOfAddress(refused), `${sid}:report`);
}

async function note(
  services: Services,
  to: string,
  said: ReturnType<typeof refusalOfAddress>,
  providerId?: string,
): Promise<'stopped' | 'bounced' | null> {
  if (!said) return null;
  const channel = to.startsWith('+') ? 'sms' : 'email';
  const { because, sender = '' } = said;
  await services.database.system.$transaction(async (tx) => {
    // Two messages are refused at once, and it is one thing that was learned.
    await lockPerson(tx, `address:${to.toLowerCase()}`);
    const known = await latestSignals(tx, services, channel, to);
    if (known.some((one) => one.sender === sender && one.because === because)) return;
    const signal = { channel, address: to, sender, state: 'stopped', because } as const;
    await writeSignal(tx, services, { ...signal, ...(providerId && { providerId }) });
  });
  return because === 'stop' ? 'stopped' : 'bounced';
}
