import type { Services } from '#server/core/context.ts';
import { lockPerson } from '#server/core/lock-person.ts';
import { latestSignals, type Signal, writeSignal } from './signals.ts';

type ProviderError = {
  twilioCode?: unknown;
  sender?: unknown;
  responseCode?: unknown;
  response?: unknown;
  command?: unknown;
};

/** The number has sent STOP to this sender. */
const TWILIO_STOPPED = 21610;
/** Invalid numbers, or ones without texts: https://www.twilio.com/docs/api/errors */
const TWILIO_NO_NUMBER = [21211, 21614, 30005, 30006];
/** An unknown or disabled mailbox. Other 5xx codes may have other reasons: the size, a policy, a full mailbox. */
const NO_MAILBOX = [550, 551, 553];
const UNKNOWN_MAILBOX = /\b5\.(?:1\.(?:1|2|3|6|10)|2\.1)\b/;
/**
 * Errors that concern the sender. Servers report them in response to the recipient's address too, for every address.
 */
const OTHER_REASONS = /\b5\.(?:[3-7]\.\d+|2\.[2-9]|1\.[78])\b/;
/** The same for servers without a specific status code. */
const OTHER_WORDS =
  /relay|rcpthosts|authenti|sender|\b(?:spf|rate|later|full|quota)\b|dkim|dmarc|spam|polic|bl[ao]ck.?list|reputation|too many/i;
const ADDRESSES = /<[^>]*>|\S+@\S+/g;

/** Returns what an error says about the address itself, or null if it says nothing: then a retry makes sense. */
export function addressErrorOf(error: unknown): Pick<Signal, 'because' | 'sender'> | null {
  const { twilioCode, sender, responseCode, response, command } = (error ?? {}) as ProviderError;
  if (twilioCode === TWILIO_STOPPED && typeof sender === 'string') return { because: 'stop', sender };
  if (typeof twilioCode === 'number' && TWILIO_NO_NUMBER.includes(twilioCode)) return { because: 'bounced' };
  const text = typeof response === 'string' ? response.replace(ADDRESSES, '') : '';
  const isDead =
    command === 'RCPT TO' &&
    NO_MAILBOX.includes(Number(responseCode)) &&
    (UNKNOWN_MAILBOX.test(text) || !(OTHER_REASONS.test(text) || OTHER_WORDS.test(text)));
  return isDead ? { because: 'bounced' } : null;
}

/**
 * Records what a provider's error says about the address, once; from then on it gets no unsolicited messages.
 * @returns why further attempts are useless, or null
 */
export async function recordDeliveryError(
  services: Services,
  to: string,
  error: unknown,
): Promise<'stopped' | 'bounced' | null> {
  return recordFinding(services, to, addressErrorOf(error));
}

/**
 * Records the same from a delivery report. A repeated report is ignored, even if the address has been allowed again in
 * between.
 */
export async function recordDeliveryReport(
  services: Services,
  to: string,
  { sid, ...error }: { twilioCode: number | null; sender: string; sid: string },
): Promise<void> {
  if (/^\+[1-9]\d{6,14}$/.test(to)) await recordFinding(services, to, addressErrorOf(error), `${sid}:report`);
}

async function recordFinding(
  services: Services,
  to: string,
  finding: ReturnType<typeof addressErrorOf>,
  providerId?: string,
): Promise<'stopped' | 'bounced' | null> {
  if (!finding) return null;
  const channel = to.startsWith('+') ? 'sms' : 'email';
  const { because, sender = '' } = finding;
  await services.database.system.$transaction(async (tx) => {
    // Two messages may be rejected at once, which is only one finding.
    await lockPerson(tx, `address:${to.toLowerCase()}`);
    const signals = await latestSignals(tx, services, channel, to);
    if (signals.some((signal) => signal.sender === sender && signal.because === because)) return;
    const signal = { channel, address: to, sender, state: 'stopped', because } as const;
    await writeSignal(tx, services, { ...signal, ...(providerId && { providerId }) });
  });
  return because === 'stop' ? 'stopped' : 'bounced';
}
