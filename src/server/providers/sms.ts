import type { Config } from '../core/config.ts';
import { refuse } from '../core/errors.ts';
import { type Stamp, stampHeaders } from './inbox.ts';

/**
 * `about`: what Twilio gives back with each report of how far it came: letters, digits, dots and hyphens. `reminder`: from the sender of its own, so that a STOP to it
 * does not end sign-in codes.
 */
export type Sms = { to: string; text: string; stamp: Stamp; sender?: 'codes' | 'reminder'; about?: string };

/** Twilio's code of a text that it did not take, for who sent it; kept beside the refusal. */
export type SmsRefusal = { twilioCode: number | null; sender: string };

/** Where Twilio tells of texts: of those to us, and with `about` of one of ours. */
export const twilioAddress = ({ publicUrl }: Pick<Config, 'publicUrl'>, about: string | null): string =>
  `${publicUrl}/api/webhooks/twilio${about === null ? '' : `?about=${about}`}`;

/** Twilio refuses an address that is not public. */
const mayCall = ({ publicUrl }: Config, apiUrl: string): boolean =>
  publicUrl.startsWith('https://') || new URL(apiUrl).hostname !== 'api.twilio.com';

/**
 * Hands one text message to Twilio (https://www.twilio.com/docs/messaging/api/message-resource); rejects unless that
 * took it, with Twilio's code and never with the text.
 */
export async function sendSms(
  config: Config,
  { to, text, stamp, sender = 'codes', about = 'code' }: Sms,
): Promise<void> {
  if (!config.twilio)
    throw refuse('integration_not_connected', 'This deployment sends no text messages: set TWILIO_ACCOUNT_SID.', {
      people: 'No text message can be sent from here yet. An administrator has to set it up.',
    });
  const { apiUrl, accountSid, authToken } = config.twilio;
  const from = sender === 'reminder' ? config.twilio.reminderFrom : config.twilio.from;
  const response = await fetch(`${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      ...stampHeaders(config, stamp),
    },
    body: new URLSearchParams({
      ...{ To: to, From: from, Body: text },
      ...(mayCall(config, apiUrl) && { StatusCallback: twilioAddress(config, about) }),
    }),
    redirect: 'error',
    signal: AbortSignal.timeout(config.providerTimeoutMs),
  });
  const answer = (await response.json().catch(() => null)) as { code?: number } | null;
  if (!response.ok)
    throw Object.assign(
      refuse('provider_error', `Twilio refused a text message: ${response.status}, code ${answer?.code ?? 'none'}.`),
      { twilioCode: answer?.code ?? null, sender: from } satisfies SmsRefusal,
    );
}
