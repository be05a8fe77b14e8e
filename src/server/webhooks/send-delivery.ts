import { createHmac } from 'node:crypto';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { insertAudits } from '#server/core/record.ts';
import type { WebhookResponse } from '#server/providers/webhook-http.ts';
import type { Claimed } from './claim-deliveries.ts';
import { secretBoundTo, secretKey } from './endpoint.ts';
import { type EventFields, type SentAs, webhookBody, webhookHeaders } from './message.ts';

/** `as`: the message as sent; null when nothing was sent. */
export type Outcome = WebhookResponse & {
  ms: number;
  as: SentAs | null /** A retry cannot succeed. */;
  isPermanent?: true;
};

const NOT_SENT = { status: null, answer: '', retryAfter: null, ms: 0, as: null };

/** The opened secrets of the deliveries that are sent together, by endpoint. */
export type Secrets = Map<string, Buffer[]>;

/** Makes one attempt. The message carries the cursor and is signed with each valid secret. */
export async function sendDelivery(
  ctx: Context,
  claimed: Claimed,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<Outcome> {
  const { duplicates = 0, fail_first = 0 } = claimed.chaos ?? {};
  const isTest = claimed.kind === 'test';
  if (claimed.attempts <= fail_first && !isTest)
    return { ...NOT_SENT, error: 'this attempt was lost on purpose, as configured in the sandbox' };
  const event = eventOf(claimed);
  if (!event && !isTest) return { ...NOT_SENT, error: 'the event is no longer held', isPermanent: true };
  const { url, payload, contract_version } = claimed;
  const progress = isTest ? { cursor: null, missed: null } : { cursor: claimed.cursor, missed: claimed.missed };
  const fields = { url, payload, contract_version, ...progress };
  const body = webhookBody(ctx.tenantId, claimed, event, fields);
  const as = { ...fields, ...sign(ctx, claimed, secrets, body) };
  const began = performance.now();
  const target = { url, headers: webhookHeaders(claimed.event_id, as), body, signal };
  const client = ctx.providers.webhooks();
  const sent = await client.send(target);
  const ms = Math.round(performance.now() - began);
  if (sent.error === null) for (let copy = 0; copy < duplicates; copy += 1) await client.send(target);
  return { ...sent, ms, as };
}

function eventOf({ kind, author_type, author_id, event_created_at, event_payload }: Claimed): EventFields | null {
  if (kind === 'test' || author_type === null) return null;
  return { author_type, author_id, created_at: event_created_at, payload: event_payload };
}

/**
 * Signs with each valid secret; there are two while the secret is rolled. `createHmac` takes a tenth of the time of the
 * standard's library.
 * @see https://www.standardwebhooks.com
 */
function sign(ctx: Context, claimed: Claimed, secrets: Secrets, body: string): { at: number; signature: string } {
  const { endpoint_id, event_id } = claimed;
  const now = ctx.clock.now();
  const ofEndpoint = secrets.get(endpoint_id) ?? secretsOf(ctx, claimed, now);
  secrets.set(endpoint_id, ofEndpoint);
  const at = Math.floor(now.getTime() / SECOND);
  const signed = `${event_id}.${at}.${body}`;
  const signatures = ofEndpoint.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { at, signature: signatures.join(' ') };
}

function secretsOf({ cipher }: Context, claimed: Claimed, now: Date): Buffer[] {
  const { endpoint_id, secret, old_secret, old_secret_until } = claimed;
  const isRolling = old_secret && old_secret_until && old_secret_until > now;
  const sealed = isRolling ? [secret, old_secret] : [secret];
  return sealed.map((one) => secretKey(cipher.open(one, secretBoundTo(endpoint_id))));
}

/** True when it sends health data of a patient that has no audit entry yet. */
const isUnaudited = ({ payload, patient_id, audited, chaos, attempts }: Claimed): boolean =>
  payload === 'snapshot' && patient_id !== null && !audited && attempts > (chaos?.fail_first ?? 0);

/**
 * Records, before sending, that health data is sent, without its content. One entry per delivery for any number of
 * attempts.
 * @returns whether there was anything to record
 */
export async function auditDeliveries(ctx: Context, claimed: Claimed[]): Promise<boolean> {
  const unaudited = claimed.filter(isUnaudited);
  if (unaudited.length === 0) return false;
  const changes = unaudited.map((one) => ({
    action: 'webhooks.deliver' as const,
    object: { type: 'WebhookEndpoint', id: one.endpoint_id },
    patientId: one.patient_id,
    details: {
      event: `${one.event_type}.${one.event_topic}`,
      event_id: one.event_id,
      host: new URL(one.url).host,
    },
  }));
  const ids = unaudited.map(({ id }) => id);
  await ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw(insertAudits(ctx, changes));
    await tx.webhookDelivery.updateMany({
      where: { tenantId: ctx.tenantId, id: { in: ids } },
      data: { audited: true },
    });
  });
  return true;
}
