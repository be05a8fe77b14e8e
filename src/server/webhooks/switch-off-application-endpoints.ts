import { SCOPE_OF_TYPE } from '#contract/event-types.ts';
import type { Scope } from '#contract/scopes.ts';
import { selectedTypes } from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { recordSwitchOff } from './failing.ts';

/** The scopes that an application needs for an endpoint. */
const scopesFor = ({ eventTypes, payload }: WebhookEndpoint): Scope[] => [
  'events:read',
  ...selectedTypes(eventTypes).map((type) => SCOPE_OF_TYPE[type]),
  ...(payload === 'snapshot' ? (['webhooks:snapshot'] as const) : []),
];

/**
 * Switches off the endpoints of an application that is revoked or whose remaining `scopes` do not suffice, in the
 * transaction that removes the access: no attempt starts after its commit.
 */
export async function switchOffApplicationEndpoints(
  tx: Tx,
  ctx: Context,
  application: { id: string; scopes: readonly string[] } | { id: string; isRevoked: true },
): Promise<void> {
  const { tenantId } = ctx;
  const isRevoked = 'isRevoked' in application;
  const allowed = new Set<string>(isRevoked ? [] : application.scopes);
  const owned = await tx.webhookEndpoint.findMany({
    where: { tenantId, applicationId: application.id, enabled: true },
  });
  const ended = allowed.has('admin')
    ? []
    : owned.filter((one) => isRevoked || !scopesFor(one).every((scope) => allowed.has(scope)));
  const because = isRevoked ? 'application_revoked' : 'scope_removed';
  for (const { id, url } of ended) {
    const data = { enabled: false, offBecause: because, offAt: ctx.clock.now() };
    await tx.webhookEndpoint.updateMany({ where: { tenantId, id }, data });
    await recordSwitchOff(tx, ctx, id, { because, host: new URL(url).host });
  }
}
