import type { ApplicationView, UpdateApplicationInput } from '#contract/settings.ts';
import { switchOffApplicationEndpoints } from '#server/webhooks/switch-off-application-endpoints.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { apiError } from '../../core/errors.ts';
import { record } from '../../core/record.ts';
import { invalidateClient } from '../tokens/client-state.ts';
import { lockApplication, presentApplication } from './application.ts';

/**
 * Changes the name or scopes of an application. A removed scope disappears from its tokens within a second and disables
 * webhook endpoints of the application that need it; an added scope comes with the next token.
 * @throws `conflict` once it is revoked, `not_found`
 */
export async function updateApplication(ctx: Context, input: UpdateApplicationInput): Promise<ApplicationView> {
  requireAdmin(ctx.actor);
  const view = await ctx.db.$transaction(async (tx) => {
    const before = await lockApplication(tx, ctx, input.id);
    if (before.revokedAt) throw apiError('conflict', 'The application is revoked; create another.');
    const name = input.name ?? before.name;
    const scopes = input.scopes ? [...new Set(input.scopes)].sort() : before.scopes;
    const added = scopes.filter((scope) => !before.scopes.includes(scope));
    const removed = before.scopes.filter((scope) => !scopes.includes(scope));
    const isRenamed = name !== before.name;
    if (!isRenamed && added.length + removed.length === 0) return presentApplication(before);
    await tx.application.update({ where: { id: input.id }, data: { name, scopes } });
    if (removed.length > 0) await switchOffApplicationEndpoints(tx, ctx, { id: input.id, scopes });
    await record(tx, ctx, {
      action: 'applications.update',
      object: { type: 'Application', id: input.id },
      details: { ...(isRenamed && { name, before: before.name }), added, removed },
    });
    return presentApplication({ ...before, name, scopes });
  });
  invalidateClient(ctx, ctx.tenantId, input.id);
  return view;
}
