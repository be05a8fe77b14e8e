import { createHmac } from 'node:crypto';
import type { Services } from '#server/core/context.ts';
import { sameSecret } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { twilioAddress } from '#server/providers/sms.ts';
import { type Keyword, keywordOf } from './keywords.ts';
import { latestSignals, writeSignal } from './signals.ts';

const E164 = /^\+[1-9]\d{6,14}$/;
const SID = /^(?:SM|MM)[0-9a-f]{32}$/;
const MAX_TEXT_LENGTH = 1600;
const EMPTY_RESPONSE = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/** Responses to texts that Twilio has not responded to itself. */
const RESPONSES: Record<Keyword, string> = {
  stop: 'You will get no more reminders by text from this number. Text START to get them again.',
  start: 'You will get reminders by text again. Text STOP to end them.',
  help: 'This number sends sign-in codes and appointment reminders. Replies are not read: please call the clinic. Text STOP to end reminders.',
};

/** `about`: the query parameter of our callback address; null for texts to us. */
export type TwilioRequest = { rawBody: string; about: string | null; header(name: string): string | null };

/**
 * Returns the form after a check of its signature for this account and address.
 * @throws `invalid_token` for another signature, `malformed_request` for another form
 */
export function verifyTwilioForm({ config }: Services, { rawBody, about, header }: TwilioRequest): URLSearchParams {
  const form = new URLSearchParams(rawBody);
  const { accountSid = '', authToken = newId() } = config.twilio ?? {};
  const expected = twilioSignature(authToken, twilioAddress(config, about), form);
  const isSigned = sameSecret(header('x-twilio-signature') ?? '', expected);
  if (!isSigned || !config.twilio) throw apiError('invalid_token', 'The signature is not that of this account.');
  const names = [...form.keys()];
  const isForm = new Set(names).size === names.length && form.get('AccountSid') === accountSid;
  if (!isForm || !SID.test(form.get('MessageSid') ?? ''))
    throw apiError('malformed_request', 'The form must be one that Twilio sends for a message.');
  return form;
}

/**
 * Handles a text to one of our numbers (https://www.twilio.com/docs/messaging/guides/webhook-request). STOP and START
 * are stored before the response; a replay, which has the same signature, changes nothing. Other texts and senders
 * without a phone number get no response.
 * @returns the response to the sender, as TwiML
 */
export async function handleInboundText(services: Services, form: URLSearchParams): Promise<string> {
  const { config, database } = services;
  const { from = '', reminderFrom = '' } = config.twilio ?? {};
  const field = (name: string) => form.get(name) ?? '';
  const sid = field('MessageSid');
  // A messaging service has several numbers and is stopped as a whole.
  const sender = [field('MessagingServiceSid'), field('To')].find((id) => id && [from, reminderFrom].includes(id));
  const address = field('From');
  const match = keywordOf(field('Body'));
  if (!sender || !match || !E164.test(address)) return EMPTY_RESPONSE;
  const { keyword, ofTwilio } = match;
  if (keyword !== 'help') {
    const signal = { state: keyword === 'stop' ? 'stopped' : 'allowed', because: keyword } as const;
    const words = field('Body').slice(0, MAX_TEXT_LENGTH).replaceAll('\u0000', '');
    const isHandled = await database.system.$transaction(async (tx) => {
      if (isYes(words) && !(await hasStopped(tx, services, address, sender))) return false;
      await writeSignal(tx, services, { channel: 'sms', address, sender, ...signal, words, providerId: sid });
      return true;
    });
    if (!isHandled) return EMPTY_RESPONSE;
  }
  // The owner of a short code handles all responses.
  return ofTwilio && !/^\d{3,8}$/.test(sender) ? EMPTY_RESPONSE : textResponse(RESPONSES[keyword]);
}

/** Twilio treats YES as START for a stopped number, but patients also text it in reply to other questions. */
const isYes = (words: string) => /^\W*yes\W*$/i.test(words);

const hasStopped = async (tx: Tx, services: Services, address: string, sender: string): Promise<boolean> =>
  (await latestSignals(tx, services, 'sms', address)).some(
    (signal) => signal.sender === sender && signal.state === 'stopped',
  );

const textResponse = (text: string) =>
  EMPTY_RESPONSE.replace('<Response/>', `<Response><Message>${text}</Message></Response>`);

/** https://www.twilio.com/docs/usage/security#validating-requests */
function twilioSignature(authToken: string, url: string, form: URLSearchParams): string {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const signed = url + sorted.map(([name, value]) => name + value).join('');
  return createHmac('sha1', authToken).update(signed).digest('base64');
}
