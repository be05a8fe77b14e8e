import { randomBytes } from 'node:crypto';
import type { EventType } from '#contract/event-types.ts';
import type { Scope } from '#contract/scopes.ts';
import { type Chaos, selectedTypes, type WebhookEndpointView } from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import type { Cipher } from '#server/core/crypto.ts';
import type { Db, Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { requireEvents } from '#server/events/index.ts';

/** Bytes of a secret; Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;
/** How long a delivery that was given up makes its endpoint `failing`. */
export const PARKED_FAILING_FOR = 30 * DAY;
/** The route key under which tenants with endpoints are found. */
export const WEBHOOK_ROUTE = 'webhooks';

/**
 * Requires an admin in the portal, or an application with the scope, `events:read` and the read scope of each type: an
 * endpoint gives access to the events that it is sent.
 */
export function requireWebhooks({ actor }: Context, scope: Scope, types: readonly EventType[]): void {
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

const SECRET_PREFIX = 'whsec_';
export const newSecret = (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
/** The key that a secret of `newSecret` encodes. */
export const secretKey = (secret: string): Buffer => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
export const secretBoundTo = (endpointId: string): string => `webhook_endpoints/${endpointId}/secret`;
const responseBoundTo = (deliveryId: string): string => `webhook_deliveries/${deliveryId}/answer`;

/** Most responses are empty, and those are not encrypted. */
export const sealResponse = (cipher: Cipher, id: string, response: string): Uint8Array =>
  response === '' ? new Uint8Array() : cipher.seal(response, responseBoundTo(id));
export const openResponse = (cipher: Cipher, id: string, sealed: Uint8Array): string =>
  sealed.length === 0 ? '' : cipher.open(sealed, responseBoundTo(id));

/** Returns the endpoints with a delivery that was given up and has not been replayed. */
export async function parkedAt(
  db: Pick<Db | Tx, '$queryRaw'>,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  ids: string[],
): Promise<Set<string>> {
  const since = new Date(clock.now().getTime() - PARKED_FAILING_FOR);
  const rows = await db.$queryRaw<{ id: string }[]>`
    select id from unnest(${ids}::uuid[]) as endpoint (id) where exists (
      select from webhook_deliveries where tenant_id = ${tenantId}::uuid and endpoint_id = endpoint.id and state = 'parked'
        and kind <> 'test' and ended_at > ${since}::timestamptz)`;
  return new Set(rows.map(({ id }) => id));
}

export function presentEndpoint(row: WebhookEndpoint, parked: ReadonlySet<string>, now: Date): WebhookEndpointView {
  const isFailing = row.failingSince !== null || parked.has(row.id);
  const rollingUntil = row.oldSecretUntil && row.oldSecretUntil > now ? row.oldSecretUntil : null;
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
    old_secret_until: rollingUntil?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/**
 * Returns the time of the oldest event that an endpoint of any tenant still waits for, or null. Endpoints that are off
 * are ignored: they may never be switched on again.
 */
export async function findOldestAwaitedEvent({ database }: Pick<Services, 'database'>): Promise<Date | null> {
  let oldest: Date | null = null;
  for (const tenantId of await database.tenantsOf(WEBHOOK_ROUTE)) {
    const [row] = await database.forTenant(tenantId).$queryRaw<{ at: Date | null }[]>`
      select min(event_created_at) as at from event_numbers
      where tenant_id = ${tenantId}::uuid and sequence = (
        select min(least(position + 1, (
          select min(sequence) from webhook_deliveries
          where tenant_id = ${tenantId}::uuid and endpoint_id = endpoint.id and kind = 'live'
            and state in ('waiting', 'sending', 'held'))))
        from webhook_endpoints as endpoint where tenant_id = ${tenantId}::uuid and enabled)`;
    if (row?.at && (!oldest || row.at < oldest)) oldest = row.at;
  }
  return oldest;
}
