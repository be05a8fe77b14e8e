import type { ConnectAcuityInput, IntegrationView } from '#contract/settings.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { invalid } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { type Acuity, AcuityError, createAcuity } from '#server/providers/acuity.ts';
import { acuityCredentialsOf, findAcuityAccount } from './get-acuity-account.ts';
import { presentIntegration } from './present-integration.ts';
import { type AcuityReading, readAcuitySettings } from './read-acuity-settings.ts';

/**
 * Checks the credentials at Acuity, keeps them encrypted and registers the webhook. Connecting again is harmless: it
 * refreshes the findings, and moves the webhook when the public address changed. Wrong credentials → 422
 * `invalid_parameter`, and what was connected before stays.
 */
export async function connectAcuity(ctx: Context, input: ConnectAcuityInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  if (!/^\d{1,15}$/.test(input.user_id)) throw invalid('user_id', 'The Acuity user id is a number.');
  const before = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
  const former = await findAcuityAccount(ctx);
  const acuity = createAcuity(ctx, { userId: input.user_id, apiKey: input.api_key });
  const { me, details, findings } = await read(ctx, acuity);
  const accountId = String(me.id);
  const isNew = before?.status === 'disconnected' || before?.accountId !== accountId;

  const view = await ctx.db.$transaction(async (tx) => {
    const now = ctx.clock.now();
    const data = {
      status: 'connected',
      accountId,
      credentials: ctx.cipher.seal(JSON.stringify(input), acuityCredentialsOf(ctx.tenantId)),
      settings: details,
      findings,
      checkedAt: now,
      updatedAt: now,
    };
    const row = await tx.integration.upsert({
      where: { tenantId_provider: { tenantId: ctx.tenantId, provider: 'acuity' } },
      create: { tenantId: ctx.tenantId, provider: 'acuity', createdAt: now, ...data },
      update: data,
    });
    await tx.providerSnapshot.deleteMany({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
    if (isNew) await tx.availabilityDay.deleteMany({ where: { tenantId: ctx.tenantId } });
    const shown = presentIntegration('acuity', row);
    await record(tx, ctx, {
      action: 'integrations.connect',
      object: { type: 'Integration', id: 'acuity' },
      ...(isNew
        ? { event: 'integration.connected' }
        : before?.status === 'degraded' && { event: 'integration.recovered' }),
      payload: shown,
    });
    return shown;
  });
  if (former && former.userId !== accountId) await forget(ctx, former.acuity);
  return view;
}

async function read(ctx: Context, acuity: Acuity): Promise<AcuityReading> {
  try {
    return await readAcuitySettings(ctx, acuity);
  } catch (error) {
    if (error instanceof AcuityError && error.code === 'integration_misconfigured')
      throw invalid('api_key', 'Acuity refuses this user id and API key.');
    throw error;
  }
}

/** The account that was connected before need not call us any more; whether it can be told does not matter. */
async function forget(ctx: Context, acuity: Acuity): Promise<void> {
  try {
    const path = `/api/webhooks/acuity/${ctx.tenantId}`;
    for (const hook of await acuity.webhooks()) if (hook.target.endsWith(path)) await acuity.removeWebhook(hook.id);
  } catch (error) {
    ctx.log.warn({ err: (error as Error).message }, 'the former Acuity account still has our webhook');
  }
}
