import { Webhook } from 'standardwebhooks';
import type { Chaos } from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { insertAudit } from '#server/core/record.ts';
import type { Sent } from '#server/providers/webhook-http.ts';
import type { Claimed } from './claim-deliveries.ts';
import { secretBoundTo } from './endpoint.ts';
import { bodyOf, headersOf, readEvent, type SentAs } from './message.ts';

/** `as`: how it was sent, where it was. */
export type Outcome = Sent & { ms: number; as: SentAs | null /** Trying again is of no use. */; hopeless?: true };

const NOT_SENT = { status: null, answer: '', retryAfter: null, ms: 0, as: null };

/** One try: what is sent says how far the receiver has everything, and is signed with each secret that counts. */
export async function sendDelivery(
  ctx: Context,
  endpoint: WebhookEndpoint,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Outcome> {
  const { duplicates = 0, fail_first = 0 } = (endpoint.chaos ?? {}) as Chaos;
  const isTest = claimed.kind === 'test';
  if (claimed.attempts <= fail_first && !isTest)
    return { ...NOT_SENT, error: 'this try was lost on purpose, as the sandbox was told' };
  const [event, progress] = isTest
    ? [null, { cursor: null, missed: null }]
    : await Promise.all([readEvent(ctx, claimed), readProgress(ctx, claimed)]);
  if (!event && !isTest) return { ...NOT_SENT, error: 'the event is no longer held', hopeless: true };
  const isAboutHealth = endpoint.payload === 'snapshot' && claimed.patient_id !== null;
  if (isAboutHealth && !claimed.audited) await noteLeaving(ctx, endpoint, claimed);
  const { url, contractVersion: contract_version } = endpoint;
  const said = { url, payload: endpoint.payload as SentAs['payload'], contract_version, ...progress };
  const body = bodyOf(ctx.tenantId, claimed, event, said);
  const as = { ...said, ...sign(ctx, endpoint, claimed.event_id, body) };
  const began = performance.now();
  const target = { url, headers: headersOf(claimed.event_id, as), body, signal };
  const client = ctx.kept.providers.webhooks();
  const sent = await client.send(target);
  const ms = Math.round(performance.now() - began);
  if (sent.error === null) for (let copy = 0; copy < duplicates; copy += 1) await client.send(target);
  return { ...sent, ms, as };
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
function sign(
  { cipher, clock }: Context,
  endpoint: WebhookEndpoint,
  id: string,
  body: string,
): { at: number; signature: string } {
  const now = clock.now();
  const isRolling = endpoint.oldSecret && endpoint.oldSecretUntil && endpoint.oldSecretUntil > now;
  const sealed = isRolling ? [endpoint.secret, endpoint.oldSecret!] : [endpoint.secret];
  const signatures = sealed.map((one) => new Webhook(cipher.open(one, secretBoundTo(endpoint.id))).sign(id, now, body));
  return { at: Math.floor(now.getTime() / SECOND), signature: signatures.join(' ') };
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
