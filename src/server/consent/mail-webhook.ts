import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { isStorable } from '#contract/conventions.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { sameSecret } from '#server/core/crypto.ts';
import { apiError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { writeSignal } from './signals.ts';

const TOLERANCE = 5 * MINUTE;
const MAX_EVENTS = 1000;
const MAX_ADDRESS_LENGTH = 254;

/** A list of events, in the format of a relay or of the clinic's own script. */
const Listed = z
  .array(z.looseObject({ event: z.string(), email: z.string(), type: z.string().optional() }))
  .max(MAX_EVENTS);
/** One event, in the format of mail services that use Standard Webhooks. */
const Single = z.looseObject({
  type: z.string(),
  data: z.looseObject({
    to: z.union([z.string(), z.array(z.string()).max(MAX_EVENTS)]).optional(),
    bounce: z.looseObject({ type: z.string() }).optional(),
  }),
});
const Body = z.union([Listed, Single]);

const BOUNCES = ['bounce', 'bounced', 'hard_bounce'];
const COMPLAINTS = ['complaint', 'complained', 'spamreport', 'spam_complaint'];
/** Temporary failures. */
const TEMPORARY = /^(?:transient|temporary|soft|blocked|undetermined)/i;

/**
 * Receives a mail service's reports of permanent bounces and complaints; other events are ignored. Signed as in
 * Standard Webhooks with `MAIL_WEBHOOK_SECRET`; a replay changes nothing.
 * @throws `invalid_token` unless signed within five minutes, `malformed_request` for another body
 */
export async function receiveMailWebhook(
  services: Services,
  request: { rawBody: string; header(name: string): string | null },
): Promise<void> {
  const id = checkSignature(services, request);
  const parsed = Body.safeParse(json(request.rawBody));
  if (!parsed.success)
    throw apiError('malformed_request', 'The body must be a list of events, or one event with its data.');
  for (const [index, { address, because }] of eventsIn(parsed.data).entries())
    await services.database.system.$transaction((tx) =>
      writeSignal(tx, services, {
        ...{ channel: 'email', address, state: 'stopped', because },
        providerId: `mail:${id}:${index}`,
      }),
    );
}

type Report = { address: string; because: 'bounced' | 'complained' };

function eventsIn(body: z.infer<typeof Body>): Report[] {
  const events = Array.isArray(body)
    ? body.map(({ event, email, type }) => ({ name: event, addresses: [email], kind: type }))
    : [
        {
          name: body.type.replace(/^email\./, ''),
          addresses: [body.data.to ?? []].flat(),
          kind: body.data.bounce?.type,
        },
      ];
  return events.flatMap(({ name, addresses, kind = '' }) => {
    const isBounce = BOUNCES.includes(name) && !TEMPORARY.test(kind);
    const because = isBounce ? 'bounced' : COMPLAINTS.includes(name) ? 'complained' : null;
    return because ? addresses.filter(isAddress).map((address) => ({ address, because }) as const) : [];
  });
}

const isAddress = (text: string) =>
  text.length <= MAX_ADDRESS_LENGTH && isStorable(text) && /^[^\s@]+@[^\s@]+$/.test(text);

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Verifies the signature of `id.seconds.body`. @returns the message's id @see https://www.standardwebhooks.com */
function checkSignature(
  { config, clock }: Services,
  { rawBody, header }: { rawBody: string; header(name: string): string | null },
): string {
  const [id, seconds, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => header(name) ?? header(name.replace('webhook', 'svix')) ?? '',
  ) as [string, string, string];
  const secret = config.mailWebhookSecret ?? newId();
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const expected = createHmac('sha256', key).update(`${id}.${seconds}.${rawBody}`).digest('base64');
  const isSigned = signatures.split(' ').filter((signature) => sameSecret(signature, `v1,${expected}`)).length;
  const age = Math.abs(clock.now().getTime() - Number(seconds) * SECOND);
  const isRecent = /^\d{1,12}$/.test(seconds) && age <= TOLERANCE;
  if (!isSigned || !isRecent || !config.mailWebhookSecret || !/^[\w.-]{1,100}$/.test(id))
    throw apiError('invalid_token', 'The signature is not that of MAIL_WEBHOOK_SECRET, or not of now.');
  return id;
}
