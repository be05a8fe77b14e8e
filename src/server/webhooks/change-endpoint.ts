import type { AuditAction } from '#contract/audit-actions.ts';
import { CONTRACT_VERSION } from '#contract/conventions.ts';
import {
  type CreateWebhookEndpointInput,
  MAX_ENDPOINTS,
  selectedTypes,
  type UpdateWebhookEndpointInput,
  type WebhookEndpointIdInput,
  type WebhookEndpointView,
  type WebhookEndpointWithSecretView,
} from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { apiError, invalidParameter } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { ForbiddenTargetError, parseTarget } from '#server/providers/public-address.ts';
import {
  loadEndpoint,
  lockEndpoint,
  newSecret,
  parkedAt,
  presentEndpoint,
  requireWebhooks,
  secretBoundTo,
  WEBHOOK_ROUTE,
} from './endpoint.ts';

/** How long deliveries are signed with the previous secret too. */
const BOTH_SECRETS = DAY;

/**
 * Creates an endpoint. It belongs to the application that last created or changed it, and is switched off when that
 * application loses access.
 * @throws `conflict` beyond the limit of endpoints
 * @throws `invalid_parameter` for an address that cannot be sent to
 * @throws `forbidden`
 */
export async function createEndpoint(
  ctx: Context,
  input: CreateWebhookEndpointInput,
): Promise<WebhookEndpointWithSecretView> {
  requireWebhooks(ctx, 'webhooks:write', selectedTypes(input.event_types));
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const id = newId(now);
  const url = parseUrl(ctx, input.url);
  const payload = input.payload ?? 'thin';
  if (payload === 'snapshot') requireSnapshot(ctx, input);
  if (input.chaos) requireSandbox(ctx);
  const secret = newSecret();
  const view = await ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`carelane webhook endpoints ${tenantId}`}, 0))`;
    if ((await tx.webhookEndpoint.count({ where: { tenantId } })) >= MAX_ENDPOINTS)
      throw apiError('conflict', `There are ${MAX_ENDPOINTS} endpoints already, which is the most; delete one first.`, {
        people: `There are ${MAX_ENDPOINTS} addresses already, which is the most. Delete one first.`,
        meta: { most: MAX_ENDPOINTS },
      });
    const row = await tx.webhookEndpoint.create({
      data: {
        id,
        tenantId,
        url,
        description: input.description ?? '',
        enabled: input.enabled ?? true,
        eventTypes: input.event_types,
        payload,
        contractVersion: CONTRACT_VERSION,
        secret: ctx.cipher.seal(secret, secretBoundTo(id)),
        chaos: input.chaos ?? Prisma.DbNull,
        applicationId: applicationOf(ctx),
        position: await newestOf(tx, tenantId),
        createdAt: now,
        updatedAt: now,
      },
    });
    const route = { key: WEBHOOK_ROUTE, tenantId };
    await tx.tenantRoute.createMany({ data: [route], skipDuplicates: true });
    const view = { ...presentEndpoint(row, new Set(), now), secret };
    await recordChange(tx, ctx, row, { action: 'webhooks.create', payload: view });
    return view;
  });
  ctx.webhooks.nudge(tenantId);
  return view;
}

export async function updateEndpoint(ctx: Context, input: UpdateWebhookEndpointInput): Promise<WebhookEndpointView> {
  await loadEndpoint(ctx, input.id, 'webhooks:write');
  requireWebhooks(ctx, 'webhooks:write', selectedTypes(input.event_types ?? []));
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  if (input.chaos) requireSandbox(ctx);
  const view = await ctx.db.$transaction(async (tx) => {
    const before = await lockEndpoint(tx, ctx, input.id);
    const url = input.url === undefined ? before.url : parseUrl(ctx, input.url);
    // Sending health data to another address needs another confirmation.
    const sendsHealthData = (input.payload ?? before.payload) === 'snapshot';
    const isSwitchedOn = input.enabled === true && !before.enabled;
    const applicationId = applicationOf(ctx);
    const changesOwner = applicationId !== null && applicationId !== before.applicationId;
    if (sendsHealthData && (before.payload !== 'snapshot' || url !== before.url)) requireSnapshot(ctx, input);
    else if (sendsHealthData && (isSwitchedOn || changesOwner || input.event_types))
      requireScope(ctx.actor, 'webhooks:snapshot');
    const data: Prisma.WebhookEndpointUncheckedUpdateInput = { updatedAt: now, url };
    if (applicationId !== null || isSwitchedOn) data.applicationId = applicationId;
    if (input.description !== undefined) data.description = input.description;
    if (input.event_types !== undefined) data.eventTypes = input.event_types;
    if (input.payload !== undefined) data.payload = input.payload;
    if (input.chaos !== undefined) data.chaos = input.chaos ?? Prisma.DbNull;
    if (input.enabled !== undefined) Object.assign(data, { enabled: input.enabled, offBecause: null, offAt: null });
    if (isSwitchedOn)
      Object.assign(data, { position: await newestOf(tx, tenantId), failingSince: null, failureToldAt: null });
    if (isSwitchedOn)
      await tx.webhookDelivery.updateMany({
        where: { tenantId, endpointId: input.id, state: 'waiting' },
        data: { nextTryAt: now, attempts: 0 },
      });
    const row = await tx.webhookEndpoint.update({ where: { tenantId_id: { tenantId, id: input.id } }, data });
    const changed = Object.keys(input).filter((name) => name !== 'id');
    await recordChange(tx, ctx, row, { action: 'webhooks.update', details: { changed } });
    return presentEndpoint(row, await parkedAt(tx, ctx, [row.id]), now);
  });
  ctx.webhooks.nudge(tenantId);
  return view;
}

export async function deleteEndpoint(ctx: Context, { id }: WebhookEndpointIdInput): Promise<WebhookEndpointView> {
  await loadEndpoint(ctx, id, 'webhooks:write');
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const row = await lockEndpoint(tx, ctx, id);
    const view = presentEndpoint(row, await parkedAt(tx, ctx, [id]), ctx.clock.now());
    await tx.webhookEndpoint.deleteMany({ where: { tenantId, id } });
    await recordChange(tx, ctx, row, { action: 'webhooks.delete' });
    return view;
  });
}

/**
 * Replaces the secret. The previous one keeps signing for a day, so that receivers can switch without missing anything.
 */
export async function rollSecret(ctx: Context, { id }: WebhookEndpointIdInput): Promise<WebhookEndpointWithSecretView> {
  await loadEndpoint(ctx, id, 'webhooks:write');
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const secret = newSecret();
  return ctx.db.$transaction(async (tx) => {
    const before = await lockEndpoint(tx, ctx, id);
    const row = await tx.webhookEndpoint.update({
      where: { tenantId_id: { tenantId, id } },
      data: {
        secret: ctx.cipher.seal(secret, secretBoundTo(id)),
        oldSecret: before.secret,
        oldSecretUntil: new Date(now.getTime() + BOTH_SECRETS),
        updatedAt: now,
      },
    });
    const view = { ...presentEndpoint(row, await parkedAt(tx, ctx, [id]), now), secret };
    await recordChange(tx, ctx, row, { action: 'webhooks.roll_secret', payload: view });
    return view;
  });
}

const recordChange = (
  tx: Tx,
  ctx: Context,
  row: WebhookEndpoint,
  change: { action: AuditAction; payload?: unknown; details?: Record<string, unknown> },
) =>
  record(tx, ctx, {
    ...change,
    object: { type: 'WebhookEndpoint', id: row.id },
    details: { host: new URL(row.url).host, payload: row.payload, ...change.details },
  });

async function newestOf(tx: Tx, tenantId: string): Promise<bigint> {
  return (await tx.eventFeed.findFirst({ where: { tenantId } }))?.lastSequence ?? 0n;
}

function parseUrl({ config }: Context, text: string): string {
  try {
    return parseTarget(text, config).href;
  } catch (error) {
    if (error instanceof ForbiddenTargetError)
      throw apiError('invalid_parameter', `The address cannot be sent to: ${error.message}.`, {
        people: `Nothing can be sent to this address: ${error.message}.`,
        source: { pointer: '/url' },
      });
    throw error;
  }
}

const applicationOf = ({ actor }: Context): string | null => (actor.kind === 'application' ? actor.clientId : null);

function requireSnapshot({ actor }: Context, { health_data_confirmed }: { health_data_confirmed?: true | undefined }) {
  requireScope(actor, 'webhooks:snapshot');
  if (health_data_confirmed) return;
  const detail = 'With snapshot health data leaves for this address: confirm that with health_data_confirmed.';
  throw apiError('invalid_parameter', detail, {
    people: 'Confirm that health data may be sent to this address.',
    source: { pointer: '/health_data_confirmed' },
  });
}

function requireSandbox({ config }: Context): void {
  if (config.environment !== 'sandbox')
    throw invalidParameter('chaos', 'Only a sandbox disturbs deliveries on purpose.');
}
