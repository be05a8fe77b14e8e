import { Webhook } from 'standardwebhooks';
import { eventNameOf } from '#contract/event-types.ts';
import type { Chaos } from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { insertAudit } from '#server/core/record.ts';
import { isHeld, readNumbers } from '#server/events/read-numbers.ts';
import type { Sent } from '#server/providers/webhook-http.ts';
import type { Claimed } from './claim-deliveries.ts';
import { secretBoundTo } from './endpoint.ts';

export type Outcome = Sent & { ms: number /** Trying again is of no use. */; hopeless?: true };

const NOT_SENT = { status: null, answer: '', retryAfter: null, ms: 0 };
const ALL = { names: null, objectId: null, patientId: null };

/** One try: what is sent says how far the receiver has everything, and is signed with each secret that counts. */
export async function sendDelivery(
  ctx: Context,
  endpoint: WebhookEndpoint,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Outcome> {
  const { duplicates = 0, fail_first = 0 } = (endpoint.chaos ?? {}) as Chaos;
  if (claimed.attempts <= fail_first && claimed.kind !== 'test')
    return { ...NOT_SENT, error: 'this try was lost on purpose, as the sandbox was told' };
  const message = await messageOf(ctx, endpoint, claimed);
  if (message === null) return { ...NOT_SENT, error: 'the event is no longer held', hopeless: true };
  const isAboutHealth = endpoint.payload === 'snapshot' && claimed.patient_id !== null;
  if (isAboutHealth && !claimed.audited) await noteLeaving(ctx, endpoint, claimed);
  const body = JSON.stringify(message);
  const began = performance.now();
  const target = { url: endpoint.url, headers: sign(ctx, endpoint, claimed.event_id, body), body, signal };
  const client = ctx.kept.providers.webhooks();
  const sent = await client.send(target);
  const ms = Math.round(performance.now() - began);
  if (sent.error === null) for (let copy = 0; copy < duplicates; copy += 1) await client.send(target);
  return { ...sent, ms };
}

async function messageOf(
  ctx: Context,
  endpoint: WebhookEndpoint,
  claimed: Claimed,
): Promise<Record<string, unknown> | null> {
  const { tenantId } = ctx;
  const about = {
    type: `${claimed.event_type}.${claimed.event_topic}`,
    id: claimed.event_id,
    event_name: eventNameOf(claimed.event_type, claimed.event_topic),
    event_type: claimed.event_type,
    event_topic: claimed.event_topic,
    tenant_id: tenantId,
    contract_version: endpoint.contractVersion,
  };
  if (claimed.kind === 'test') return { ...about, timestamp: claimed.created_at.toISOString(), test: true };
  const from = Number(claimed.sequence) - 1;
  const [[event], so] = await Promise.all([
    readNumbers(ctx, ALL, { from, backwards: false, limit: 1 }),
    readProgress(ctx, claimed),
  ]);
  if (!event || event.id !== claimed.event_id || !isHeld(event)) return null;
  return {
    ...about,
    timestamp: event.created_at.toISOString(),
    sequence: Number(claimed.sequence),
    cursor: so.cursor,
    missed_sequence: so.missed,
    replayed: claimed.kind === 'replay',
    object_id: claimed.object_id,
    patient_id: claimed.patient_id,
    author_type: event.author_type,
    author_id: event.author_id,
    created_at: event.created_at.toISOString(),
    time: Math.floor(event.created_at.getTime() / SECOND),
    ...(endpoint.payload === 'snapshot' && { payload: event.payload }),
  };
}

/**
 * `cursor`: once this is dealt with, everything up to there has arrived; `GET /events` goes on from it without a gap.
 * `missed`: the last event of the same object before this one that was given up.
 */
async function readProgress(
  { db, tenantId }: Context,
  { endpoint_id, event_id, object_id, sequence }: Claimed,
): Promise<{ cursor: number; missed: number | null }> {
  const [row] = await db.$queryRaw<{ position: bigint; missing: bigint | null; missed: bigint | null }[]>`
    select position,
      (select sequence from webhook_deliveries
       where tenant_id = ${tenantId}::uuid and endpoint_id = ${endpoint_id}::uuid and kind = 'live'
         and state in ('waiting', 'sending', 'held', 'parked') and event_id <> ${event_id}::uuid
       order by sequence limit 1) as missing,
      (select sequence from webhook_deliveries
       where tenant_id = ${tenantId}::uuid and endpoint_id = ${endpoint_id}::uuid and kind = 'live' and state = 'parked'
         and object_id = ${object_id} and sequence < ${sequence}::bigint
       order by sequence desc limit 1) as missed
    from webhook_endpoints where tenant_id = ${tenantId}::uuid and id = ${endpoint_id}::uuid`;
  const { position = 0n, missing = null, missed = null } = row ?? {};
  return {
    cursor: Number(missing === null ? position : missing - 1n),
    missed: missed === null ? null : Number(missed),
  };
}

/** Standard Webhooks, with a signature for each secret while one takes over from the other. */
function sign({ cipher, clock }: Context, endpoint: WebhookEndpoint, id: string, body: string): Record<string, string> {
  const now = clock.now();
  const isRolling = endpoint.oldSecret && endpoint.oldSecretUntil && endpoint.oldSecretUntil > now;
  const sealed = isRolling ? [endpoint.secret, endpoint.oldSecret!] : [endpoint.secret];
  const signatures = sealed.map((one) => new Webhook(cipher.open(one, secretBoundTo(endpoint.id))).sign(id, now, body));
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Carelane-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / SECOND)),
    'webhook-signature': signatures.join(' '),
  };
}

/** Before it leaves: that it did, and never what it was. */
async function noteLeaving(ctx: Context, endpoint: WebhookEndpoint, claimed: Claimed): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw(
      insertAudit(ctx, {
        action: 'webhooks.deliver',
        object: { type: 'WebhookEndpoint', id: endpoint.id },
        patientId: claimed.patient_id,
        details: {
          event: `${claimed.event_type}.${claimed.event_topic}`,
          event_id: claimed.event_id,
          host: new URL(endpoint.url).host,
        },
      }),
    );
    await tx.webhookDelivery.updateMany({ where: { tenantId: ctx.tenantId, id: claimed.id }, data: { audited: true } });
  });
}
