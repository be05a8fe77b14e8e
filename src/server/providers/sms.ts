import type { Config } from '../core/config.ts';
import { refuse } from '../core/errors.ts';
import { type Stamp, stampHeaders } from './inbox.ts';

export type Sms = { to: string; text: string; stamp: Stamp };

/**
 * Hands one text message to Twilio (https://www.twilio.com/docs/messaging/api/message-resource); rejects unless that
 * took it, with Twilio's code and never with the text.
 */
export async function sendSms(config: Config, { to, text, stamp }: Sms): Promise<void> {
  if (!config.twilio)
    throw refuse('integration_not_connected', 'This deployment sends no text messages: set TWILIO_ACCOUNT_SID.', {
      people: 'No text message can be sent from here yet. An administrator has to set it up.',
    });
  const { apiUrl, accountSid, authToken, from } = config.twilio;
  const response = await fetch(`${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      ...stampHeaders(config, stamp),
    },
    body: new URLSearchParams({ To: to, From: from, Body: text }),
    redirect: 'error',
    signal: AbortSignal.timeout(config.providerTimeoutMs),
  });
  const answer = (await response.json().catch(() => null)) as { code?: number } | null;
  if (!response.ok)
    throw refuse(
      'provider_error',
      `Twilio refused a text message: ${response.status}, code ${answer?.code ?? 'none'}.`,
    );
}
