import type { UnsentReason } from '#contract/message-templates.ts';
import { MINUTE } from '#server/core/clock.ts';
import { CarelaneError } from '#server/core/errors.ts';

/** The outcome of a send attempt. `again`: certainly not sent; its flag says that no server responded. */
export type Outcome =
  | { became: 'sent' }
  | { became: 'again'; isUnreachable?: true }
  | { became: 'failed'; why: UnsentReason };

const HOURLY = 60 * MINUTE;
/** Pause after each failed attempt; then hourly, to cover a server outage of two days. */
const PAUSES = [...[1, 2, 5, 15, 30].map((minutes) => minutes * MINUTE), HOURLY];
const MAX_ATTEMPTS = PAUSES.length + 48;
export const retryDelayMs = (attempts: number): number | null =>
  attempts < MAX_ATTEMPTS ? (PAUSES[attempts - 1] ?? HOURLY) : null;

type SmtpError = { code?: string; command?: string; responseCode?: number; syscall?: string; message: string };

/** Commands before the message: when one of them fails, nothing was handed over. */
const BEFORE_THE_MESSAGE = ['CONN', 'EHLO', 'HELO', 'LHLO', 'STARTTLS', 'MAIL FROM', 'RCPT TO'];
const isBeforeMessage = (command: string) => BEFORE_THE_MESSAGE.includes(command) || command.startsWith('AUTH');

/**
 * True when the server never responded. Nodemailer reports every broken connection as `CONN`, also after the message
 * was handed over, when the outcome is unknown.
 */
const hasNeverResponded = ({ code, syscall, message }: SmtpError): boolean =>
  code === 'EDNS' || syscall === 'connect' || /^(Connection timeout|Greeting never received)/.test(message);

/** Maps a mail server's error, or its silence, to an outcome. */
export function outcomeOfMail(error: unknown): Outcome {
  const notSetUp = notSetUpOutcome(error);
  if (notSetUp) return notSetUp;
  const { command = '', responseCode } = error as SmtpError;
  if (responseCode !== undefined) {
    if (responseCode < 500) return { became: 'again' };
    if (command === 'RCPT TO') return { became: 'failed', why: 'refused' };
    // A wrong password is a configuration error that will be corrected; a rejected message is final.
    return isBeforeMessage(command) ? { became: 'again' } : { became: 'failed', why: 'refused' };
  }
  if (hasNeverResponded(error as SmtpError)) return { became: 'again', isUnreachable: true };
  return { became: 'failed', why: 'unknown' };
}

/** Reasons by Twilio error code (https://www.twilio.com/docs/api/errors), of a rejected text and of a delivery report. */
export const TEXT_REASONS: Record<number, UnsentReason> = {
  21211: 'no_number',
  21214: 'no_number',
  21217: 'no_number',
  21408: 'takes_no_texts',
  21610: 'stopped',
  21612: 'takes_no_texts',
  21614: 'takes_no_texts',
  30003: 'unreachable',
  30004: 'blocked_there',
  30005: 'no_number',
  30006: 'takes_no_texts',
  30007: 'filtered',
};

/** Maps Twilio's error, or its silence, to an outcome. */
export function outcomeOfText(error: unknown): Outcome {
  const notSetUp = notSetUpOutcome(error);
  if (notSetUp) return notSetUp;
  if (error instanceof CarelaneError) {
    const [, status = 0, code = 0] = (/: (\d+), code (\d+)/.exec(error.message) ?? []).map(Number);
    const why = TEXT_REASONS[code];
    if (why) return { became: 'failed', why };
    if (status === 429 || status === 401 || status === 403) return { became: 'again' };
    return { became: 'failed', why: status >= 500 ? 'unknown' : 'refused' };
  }
  const cause = (error as { cause?: { code?: string } }).cause?.code ?? '';
  const isUnreached = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(cause);
  return isUnreached ? { became: 'again', isUnreachable: true } : { became: 'failed', why: 'unknown' };
}

const notSetUpOutcome = (error: unknown): Outcome | null =>
  error instanceof CarelaneError && error.code === 'integration_not_connected'
    ? { became: 'failed', why: 'not_set_up' }
    : null;
