import type { ApplicationView } from '#contract/settings.ts';
import { switchOffApplicationEndpoints } from '#server/webhooks/switch-off-application-endpoints.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { record } from '../../core/record.ts';
import { invalidateClient } from '../tokens/client-state.ts';
import { lockApplication, presentApplication } from './application.ts';

/**
 * Revokes an application permanently: its secrets and webhook endpoints immediately, its tokens and impersonations
 * within a second.
 */
export async function revokeApplication(ctx: Context, input: { id: string }): Promise<ApplicationView> {
  requireAdmin(ctx.actor);
  const view = await ctx.db.$transaction(async (tx) => {
    const application = await lockApplication(tx, ctx, input.id);
    if (application.revokedAt) return presentApplication(application);
    const now = ctx.clock.now();
    const ended = { revokedAt: now, tokensValidAfter: now };
    await tx.application.update({ where: { id: input.id }, data: ended });
    await tx.applicationSecret.updateMany({
      where: { applicationId: input.id, revokedAt: null },
      data: { revokedAt: now },
    });
    await switchOffApplicationEndpoints(tx, ctx, { id: input.id, isRevoked: true });
    await record(tx, ctx, { action: 'applications.revoke', object: { type: 'Application', id: input.id } });
    return presentApplication({ ...application, ...ended, secrets: [] });
  });
  invalidateClient(ctx, ctx.tenantId, input.id);
  return view;
}
