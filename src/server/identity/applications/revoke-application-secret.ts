import type { ApplicationView } from '#contract/settings.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { notFound } from '../../core/errors.ts';
import { record } from '../../core/record.ts';
import { invalidateClient } from '../tokens/client-state.ts';
import { lockApplication, presentApplication } from './application.ts';

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
