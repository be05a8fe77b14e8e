import type { CreateApplicationInput, NewSecretView } from '#contract/settings.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';
import { makeClientSecret, presentApplication, withLiveSecrets } from './application.ts';

/** Creates a server application. The response is the only place that shows its secret. */
export async function createApplication(ctx: Context, input: CreateApplicationInput): Promise<NewSecretView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const id = newId(now);
  const { secret, row } = makeClientSecret(now);
  const scopes = [...new Set(input.scopes)];
  const application = await ctx.db.$transaction(async (tx) => {
    await tx.application.create({
      data: { id, tenantId, kind: 'server', name: input.name, scopes, tokensValidAfter: now, createdAt: now },
    });
    await tx.applicationSecret.create({ data: { ...row, tenantId, applicationId: id } });
    await tx.tenantRoute.create({ data: { key: `client:${id}`, tenantId } });
    await record(tx, ctx, {
      action: 'applications.create',
      object: { type: 'Application', id },
      details: { name: input.name, scopes },
    });
    return tx.application.findUniqueOrThrow({ where: { id }, include: withLiveSecrets });
  });
  return { application: presentApplication(application), client_secret: secret };
}
