import type { Config } from '../core/config.ts';
import { apiError } from '../core/errors.ts';
import { type Stamp, stampHeaders } from './inbox.ts';

/**
 * `about` is returned by Twilio with each delivery report: letters, digits, dots and hyphens. `reminder` uses its own
 * sender, so that STOP to it does not end sign-in codes.
 */
type Sms = { to: string; text: string; stamp: Stamp; sender?: 'codes' | 'reminder'; about?: string };

/** Twilio's error code of a rejected text, and its sender; stored with the delivery. */
type SmsRejection = { twilioCode: number | null; sender: string };

/** The address of Twilio's webhooks: for received texts, and with `about` for reports on a sent one. */
export const twilioAddress = ({ publicUrl }: Pick<Config, 'publicUrl'>, about: string | null): string =>
  `${publicUrl}/api/webhooks/twilio${about === null ? '' : `?about=${about}`}`;

/** Twilio rejects a callback address that is not public. */
const mayCall = ({ publicUrl }: Config, apiUrl: string): boolean =>
  publicUrl.startsWith('https://') || new URL(apiUrl).hostname !== 'api.twilio.com';

/**
 * Sends one text message by Twilio (https://www.twilio.com/docs/messaging/api/message-resource). Errors hold Twilio's
 * code and never the text.
 * @throws `integration_not_connected`, `provider_error`
 */
export async function sendSms(
  config: Config,
  { to, text, stamp, sender = 'codes', about = 'code' }: Sms,
): Promise<void> {
  if (!config.twilio)
    throw apiError('integration_not_connected', 'This deployment sends no text messages: set TWILIO_ACCOUNT_SID.', {
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
  const body = (await response.json().catch(() => null)) as { code?: number } | null;
  if (!response.ok)
    throw Object.assign(
      apiError('provider_error', `Twilio refused a text message: ${response.status}, code ${body?.code ?? 'none'}.`),
      { twilioCode: body?.code ?? null, sender: from } satisfies SmsRejection,
    );
}
