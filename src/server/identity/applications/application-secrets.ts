import type { ApplicationView, NewSecretView } from '#contract/settings.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { apiError, notFound } from '../../core/errors.ts';
import { record } from '../../core/record.ts';
import { invalidateClient } from '../tokens/client-state.ts';
import { lockApplication, MAX_LIVE_SECRETS, makeClientSecret, presentApplication } from './application.ts';

/**
 * Adds a second secret to an application; the old one stays valid until it is revoked.
 * @throws `conflict`, `not_found`
 */
export async function rotateApplicationSecret(ctx: Context, input: { id: string }): Promise<NewSecretView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  const view = await ctx.db.$transaction(async (tx) => {
    const application = await lockApplication(tx, ctx, input.id);
    if (application.revokedAt) throw apiError('conflict', 'The application is revoked; create another.');
    if (application.secrets.length >= MAX_LIVE_SECRETS)
      throw apiError('conflict', 'Two secrets are live already; revoke one first.');
    const { secret, row } = makeClientSecret(ctx.clock.now());
    const added = await tx.applicationSecret.create({ data: { ...row, tenantId, applicationId: input.id } });
    await record(tx, ctx, {
      action: 'applications.rotate_secret',
      object: { type: 'Application', id: input.id },
      details: { secret_id: row.id },
    });
    const secrets = [added, ...application.secrets];
    return { application: presentApplication({ ...application, secrets }), client_secret: secret };
  });
  invalidateClient(ctx, tenantId, input.id);
  return view;
}

/** Revokes one secret and, within a second, every token issued for it; tokens of the other secret stay valid. */
export async function revokeApplicationSecret(
  ctx: Context,
  input: { id: string; secret_id: string },
): Promise<ApplicationView> {
  requireAdmin(ctx.actor);
  const view = await ctx.db.$transaction(async (tx) => {
    const application = await lockApplication(tx, ctx, input.id);
    const secret = await tx.applicationSecret.findFirst({
      where: { tenantId: ctx.tenantId, applicationId: input.id, id: input.secret_id },
    });
    if (!secret) throw notFound('secret');
    if (secret.revokedAt === null) {
      await tx.applicationSecret.update({ where: { id: secret.id }, data: { revokedAt: ctx.clock.now() } });
      await record(tx, ctx, {
        action: 'applications.revoke_secret',
        object: { type: 'Application', id: input.id },
        details: { secret_id: secret.id },
      });
    }
    const secrets = application.secrets.filter(({ id }) => id !== secret.id);
    return presentApplication({ ...application, secrets });
  });
  invalidateClient(ctx, ctx.tenantId, input.id);
  return view;
}
