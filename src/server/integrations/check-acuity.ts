import type { IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { findAcuityAccount, getAcuityAccount } from './acuity-account.ts';
import { inspectAcuity } from './inspect-acuity.ts';
import { invalidateCatalogue } from './invalidate-catalogue.ts';
import { getAcuityIntegration } from './list-integrations.ts';
import { saveCheck } from './save-check.ts';

/**
 * Inspects the connection to Acuity now and stores the findings. The types and calendars are read again on the next
 * request.
 */
export async function checkAcuity(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const check = await inspectAcuity(ctx, await getAcuityAccount(ctx));
  await saveCheck(ctx, 'acuity', check);
  // While Acuity does not return its settings, the previous ones are still shown.
  if (!check.isUnread) await invalidateCatalogue(ctx);
  return getAcuityIntegration(ctx);
}

const EVERY = MINUTE;

/**
 * Queues a check of a connected account after a booking failed because of its settings, so that the Integrations page
 * shows the reason within a minute. At most one check a minute.
 */
export async function queueAcuityCheck({ db, tenantId, clock }: Context): Promise<void> {
  const row = await db.integration.findFirst({ where: { tenantId, provider: 'acuity' } });
  if (row?.status !== 'connected') return;
  const runAt = new Date(Math.max(clock.now().getTime(), (row.checkedAt?.getTime() ?? 0) + EVERY));
  await enqueue(db, 'check_acuity', { tenantId }, { runAt, key: `check_acuity:${tenantId}`, keepEarlier: true });
}

export async function runAcuityCheck(services: Services, { tenantId }: Jobs['check_acuity']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'check_acuity');
  if (await findAcuityAccount(ctx)) await checkAcuity(ctx);
}
