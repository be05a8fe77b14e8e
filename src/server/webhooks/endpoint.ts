import { randomBytes } from 'node:crypto';
import type { EventType } from '#contract/event-types.ts';
import type { Scope } from '#contract/scopes.ts';
import { type Chaos, selectedTypes, type WebhookEndpointView } from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import { requireAdmin, requireScope } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Cipher } from '#server/core/crypto.ts';
import type { Db, Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { requireEvents } from '#server/events/list-events.ts';

/** Bytes of a secret; Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;
/** How long a delivery that was given up makes its endpoint `failing`. */
export const PARKED_RETENTION = 30 * DAY;
/** The route key under which tenants with endpoints are found. */
export const WEBHOOK_ROUTE = 'webhooks';

/**
 * Requires an admin in the portal, or an application with the scope, `events:read` and the read scope of each type: an
 * endpoint gives access to the events that it is sent.
 */
export function requireWebhooks({ actor }: Context, scope: Scope, types: readonly EventType[]): void {
  if (actor.kind === 'practitioner') requireAdmin(actor);
  requireScope(actor, scope, { patients: false });
  requireEvents(actor, types, { pointer: '/event_types' });
}

/**
 * Locks an endpoint in order to change it or to create deliveries.
 * @throws `not_found`
 */
export async function lockEndpoint(tx: Tx, { tenantId }: Context, id: string): Promise<WebhookEndpoint> {
  await tx.$queryRaw`select from webhook_endpoints where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
  const row = await tx.webhookEndpoint.findFirst({ where: { tenantId, id } });
  if (!row) throw notFound('webhook endpoint');
  return row;
}

export async function loadEndpoint(ctx: Context, id: string, scope: Scope): Promise<WebhookEndpoint> {
  requireWebhooks(ctx, scope, []);
  const row = await ctx.db.webhookEndpoint.findFirst({ where: { tenantId: ctx.tenantId, id } });
  if (!row) throw notFound('webhook endpoint');
  requireWebhooks(ctx, scope, selectedTypes(row.eventTypes));
  return row;
}

export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
export const secretBoundTo = (endpointId: string): string => `webhook_endpoints/${endpointId}/secret`;
const answerBoundTo = (deliveryId: string): string => `webhook_deliveries/${deliveryId}/answer`;

/** Most responses are empty, and those are not encrypted. */
export const sealResponse = (cipher: Cipher, id: string, answer: string): Uint8Array =>
  answer === '' ? new Uint8Array() : cipher.seal(answer, answerBoundTo(id));
export const openResponse = (cipher: Cipher, id: string, sealed: Uint8Array): string =>
  sealed.length === 0 ? '' : cipher.open(sealed, answerBoundTo(id));

/** Returns the endpoints with a delivery that was given up and has not been replayed. */
export async function parkedAt(
  db: Pick<Db | Tx, '$queryRaw'>,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  ids: string[],
): Promise<Set<string>> {
  const since = new Date(clock.now().getTime() - PARKED_RETENTION);
  const rows = await db.$queryRaw<{ id: string }[]>`
    select id from unnest(${ids}::uuid[]) as endpoint (id) where exists (
      select from webhook_deliveries where tenant_id = ${tenantId}::uuid and endpoint_id = endpoint.id and state = 'parked'
        and kind <> 'test' and ended_at > ${since}::timestamptz)`;
  return new Set(rows.map(({ id }) => id));
}

export function presentEndpoint(row: WebhookEndpoint, parked: ReadonlySet<string>, now: Date): WebhookEndpointView {
  const isFailing = row.failingSince !== null || parked.has(row.id);
  const isRolling = row.oldSecretUntil !== null && row.oldSecretUntil > now;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    enabled: row.enabled,
    event_types: row.eventTypes,
    payload: row.payload as WebhookEndpointView['payload'],
    contract_version: row.contractVersion,
    chaos: row.chaos as Chaos | null as WebhookEndpointView['chaos'],
    status: !row.enabled ? 'off' : isFailing ? 'failing' : 'ok',
    failing_since: row.failingSince?.toISOString() ?? null,
    off_because: row.offBecause as WebhookEndpointView['off_because'],
    application_id: row.applicationId,
    sequence: Number(row.position),
    old_secret_until: isRolling ? row.oldSecretUntil!.toISOString() : null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
