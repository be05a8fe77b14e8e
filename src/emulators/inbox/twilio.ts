import { randomBytes } from 'node:crypto';
import { type EmulatorRequest, ErrorReply, type Reply, type Route } from '../core/route.ts';
import { type InboxState, isBlocked, STAMPS, storeMessage } from './message.ts';
import { sendStatusReport, type TwilioAccount } from './status-report.ts';

/** The error codes of Twilio's dictionary that sending a message can return. */
const ERRORS = {
  20001: [400, (name: string) => `Unknown parameter: ${name}`],
  20003: [401, () => 'Authenticate'],
  20404: [404, (path: string) => `The requested resource ${path} was not found`],
  21211: [400, (to: string) => `The 'To' number ${to} is not a valid phone number.`],
  21212: [
    400,
    (from: string) => `The 'From' number ${from} is not a valid phone number, shortcode, or alphanumeric sender ID.`,
  ],
  21602: [400, () => 'Message body is required.'],
  21603: [400, () => "A 'From' phone number is required."],
  21604: [400, () => "A 'To' phone number is required."],
  21606: [
    400,
    (from: string) =>
      `The 'From' phone number provided (${from}) is not a valid message-capable Twilio phone number for this destination.`,
  ],
  21609: [400, (url: string) => `The 'StatusCallback' URL ${url} is not a valid URL.`],
  21610: [400, () => 'Attempt to send to unsubscribed recipient'],
  21612: [
    400,
    (to: string) => `Message cannot be sent with the current combination of 'To' (${to}) and/or 'From' parameters`,
  ],
  21614: [400, (to: string) => `'To' number is not a valid mobile number: ${to}`],
  21617: [400, () => 'The concatenated message body exceeds the 1600 character limit.'],
} satisfies Record<number, [status: number, message: (subject: string) => string]>;

type Code = keyof typeof ERRORS;

/** Twilio's published test numbers, which always fail. */
const FAILING_RECIPIENTS: Record<string, Code> = {
  '+15005550001': 21211,
  '+15005550002': 21612,
  '+15005550004': 21610,
  '+15005550009': 21614,
};
const FAILING_SENDERS: Record<string, Code> = { '+15005550001': 21212, '+15005550007': 21606 };

const E164 = /^\+[1-9]\d{6,14}$/;
const MAX_BODY_CHARACTERS = 1600;

export function twilioError(code: Code, subject = ''): Reply {
  const [status, message] = ERRORS[code];
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, body: { code, message: message(subject), more_info, status } };
}

/** `POST /2010-04-01/Accounts/{sid}/Messages.json`; without `account`, any sid and token are accepted. */
export function sendMessageRoute(account?: TwilioAccount): Route<InboxState> {
  return {
    method: 'POST',
    path: '/2010-04-01/Accounts/:sid/Messages.json',
    handle(request, world) {
      const { state, clock } = world;
      const sid = authenticate(request, account);
      const { to, from, text, statusCallback } = readMessage(request);
      if (isBlocked(state, from, to)) throw new ErrorReply(twilioError(21610, to));
      const stamp = (name: string) => String(request.headers[name] ?? '') || null;
      const now = new Date(clock.now());
      const resource = present(sid, to, from, text, now);
      const message = storeMessage(state, {
        kind: 'sms',
        receivedAt: now.toISOString(),
        from,
        to: [to],
        subject: '',
        text,
        html: '',
        attachments: [],
        tenant: stamp(STAMPS.tenant),
        staff: stamp(STAMPS.staff),
        sid: resource.sid,
        statusCallback,
      });
      // With a webhook configured, delivery is reported automatically.
      if (account?.webhookUrl) void sendStatusReport(world, message, { status: 'delivered' }, account);
      return { status: 201, body: resource };
    },
  };
}

function authenticate({ params, headers }: EmulatorRequest, account?: TwilioAccount): string {
  const { sid = '' } = params;
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
  const [user, ...secret] = Buffer.from(token, 'base64').toString('utf8').split(':');
  const isAuthenticated = account
    ? user === account.sid && secret.join(':') === account.token
    : Boolean(user && secret[0]);
  if (scheme?.toLowerCase() !== 'basic' || !isAuthenticated || user !== sid) throw new ErrorReply(twilioError(20003));
  return sid;
}

type ParsedMessage = { to: string; from: string; text: string; statusCallback: string | null };

function readMessage({ body, rawBody, headers }: EmulatorRequest): ParsedMessage {
  const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  const { To, From, Body, MessagingServiceSid, StatusCallback, ...rest } = (
    isForm && rawBody.length ? body : {}
  ) as Record<string, string>;
  const errorReply = (code: Code, subject?: string) => new ErrorReply(twilioError(code, subject));
  // Twilio ignores unknown parameters; the emulator rejects them to detect misspelled names.
  const [unknown] = Object.keys(rest);
  if (unknown) throw errorReply(20001, unknown);
  const from = From || MessagingServiceSid;
  if (!To) throw errorReply(21604);
  if (!from) throw errorReply(21603);
  if (!Body) throw errorReply(21602);
  if (Body.length > MAX_BODY_CHARACTERS) throw errorReply(21617);
  if (!E164.test(To)) throw errorReply(21211, To);
  const isSender = E164.test(from) || /^MG[0-9a-f]{32}$/.test(from) || /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/.test(from);
  if (!isSender) throw errorReply(21212, from);
  const failure = FAILING_RECIPIENTS[To];
  if (failure) throw errorReply(failure, To);
  const senderFailure = FAILING_SENDERS[from];
  if (senderFailure) throw errorReply(senderFailure, from);
  if (StatusCallback && !/^https?:\/\//.test(StatusCallback)) throw errorReply(21609, StatusCallback);
  return { to: To, from, text: Body, statusCallback: StatusCallback || null };
}

function present(account: string, to: string, from: string, body: string, now: Date) {
  const sid = `SM${randomBytes(16).toString('hex')}`;
  const uri = `/2010-04-01/Accounts/${account}/Messages/${sid}`;
  const date = now.toUTCString().replace('GMT', '+0000');
  return {
    sid,
    account_sid: account,
    messaging_service_sid: from.startsWith('MG') ? from : null,
    to,
    from: from.startsWith('MG') ? null : from,
    body,
    status: 'queued',
    direction: 'outbound-api',
    num_segments: String(segments(body)),
    num_media: '0',
    price: null,
    price_unit: 'USD',
    error_code: null,
    error_message: null,
    api_version: '2010-04-01',
    date_created: date,
    date_updated: date,
    date_sent: null,
    uri: `${uri}.json`,
    subresource_uris: { media: `${uri}/Media.json` },
  };
}

/** Counts SMS segments: 160 ASCII or 70 other characters; 153 or 67 per part of a longer message. */
function segments(body: string): number {
  const isAscii = /^[\x20-\x7e\n\r]*$/.test(body);
  const [singleLimit, partLimit] = isAscii ? [160, 153] : [70, 67];
  return body.length <= singleLimit ? 1 : Math.ceil(body.length / partLimit);
}
