import type { MessageWhy } from '#contract/message-words.ts';
import { MINUTE } from '#server/core/clock.ts';
import { CarelaneError } from '#server/core/errors.ts';

/** What became of a try to send something. `again`: it surely did not go; `nobody`: as no one answers there. */
export type Outcome = { became: 'sent' } | { became: 'again'; nobody?: true } | { became: 'failed'; why: MessageWhy };

/** So long after each try in vain; then every hour, until a server that was away for two days had its chance. */
const PAUSES = [1, 2, 5, 15, 30, 60].map((minutes) => minutes * MINUTE);
const MOST_TRIES = PAUSES.length + 48;
export const pauseAfter = (tries: number): number | null =>
  tries < MOST_TRIES ? (PAUSES[tries - 1] ?? PAUSES.at(-1)!) : null;

type SmtpError = { code?: string; command?: string; responseCode?: number; syscall?: string; message: string };

/** Before these were answered nothing of the message was handed over. */
const BEFORE_THE_MESSAGE = ['CONN', 'EHLO', 'HELO', 'LHLO', 'STARTTLS', 'MAIL FROM', 'RCPT TO'];
const isBefore = (command: string) => BEFORE_THE_MESSAGE.includes(command) || command.startsWith('AUTH');

/**
 * Whether a silence was before the server said anything. The library calls whatever breaks off `CONN`, also after the
 * message was handed over: then nobody knows.
 */
const wasNeverHeard = ({ code, syscall, message }: SmtpError): boolean =>
  code === 'EDNS' || syscall === 'connect' || /^(Connection timeout|Greeting never received)/.test(message);

/** What a mail server, or its silence, says. */
export function outcomeOfMail(error: unknown): Outcome {
  const notSetUp = notSetUpOutcome(error);
  if (notSetUp) return notSetUp;
  const { command = '', responseCode } = error as SmtpError;
  if (responseCode !== undefined) {
    if (responseCode < 500) return { became: 'again' };
    if (command === 'RCPT TO') return { became: 'failed', why: 'refused' };
    // A wrong password is ours, and will be put right; a refused message is not.
    return isBefore(command) ? { became: 'again' } : { became: 'failed', why: 'refused' };
  }
  if (wasNeverHeard(error as SmtpError)) return { became: 'again', nobody: true };
  return { became: 'failed', why: 'unknown' };
}

/** Twilio's codes of numbers that cannot be reached, or do not want to be. */
const STOPPED = 21610;
const NO_NUMBER = [21211, 21214, 21217, 21408, 21612, 21614];

/** What Twilio, or its silence, says. */
export function outcomeOfText(error: unknown): Outcome {
  const notSetUp = notSetUpOutcome(error);
  if (notSetUp) return notSetUp;
  if (error instanceof CarelaneError) {
    const [, status = 0, code = 0] = (/: (\d+), code (\d+)/.exec(error.message) ?? []).map(Number);
    if (code === STOPPED) return { became: 'failed', why: 'stopped' };
    if (NO_NUMBER.includes(code)) return { became: 'failed', why: 'no_address' };
    if (status === 429 || status === 401 || status === 403) return { became: 'again' };
    return { became: 'failed', why: status >= 500 ? 'unknown' : 'refused' };
  }
  const cause = (error as { cause?: { code?: string } }).cause?.code ?? '';
  const isUnreached = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(cause);
  return isUnreached ? { became: 'again', nobody: true } : { became: 'failed', why: 'unknown' };
}

const notSetUpOutcome = (error: unknown): Outcome | null =>
  error instanceof CarelaneError && error.code === 'integration_not_connected'
    ? { became: 'failed', why: 'not_set_up' }
    : null;
