import type { Context } from '#server/core/context.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import type { AcuityWebhook } from '#server/providers/acuity-shapes.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';

/** Sent for every kind of change of an appointment, so one subscription is enough. */
const EVENT = 'appointment.changed';
const pathOf = (tenantId: string): string => `/api/webhooks/acuity/${tenantId}`;

/**
 * Ensures exactly one active webhook of this tenant at Acuity, with the current public address; webhooks of others
 * stay. Idempotent. Registers it again when Acuity has disabled it, which it does after days of failures.
 */
export async function registerAcuityWebhook(
  { config, tenantId }: Pick<Context, 'config' | 'tenantId'>,
  acuity: Acuity,
): Promise<number> {
  const path = pathOf(tenantId);
  const target = config.publicUrl + path;
  const ours = (await acuity.webhooks()).filter((hook) => hook.target.endsWith(path));
  const right = ours.find((hook) => hook.target === target && hook.event === EVENT && isActive(hook));
  for (const hook of ours) if (hook !== right) await removeAcuityWebhook(acuity, hook.id);
  return right?.id ?? (await acuity.addWebhook(EVENT, target)).id;
}

const isActive = ({ status }: AcuityWebhook): boolean => (status ?? 'active') === 'active';

/** Ignores a webhook that is gone already, for example removed by a concurrent check. */
async function removeAcuityWebhook(acuity: Acuity, id: number): Promise<void> {
  try {
    await acuity.removeWebhook(id);
  } catch (error) {
    if (!(error instanceof SchedulingError) || error.reason !== 'not_found') throw error;
  }
}

/** Removes our webhook from an account that is not connected any more; a failure is only logged. */
export async function removeTenantWebhooks(ctx: Context, acuity: Acuity): Promise<void> {
  try {
    const path = pathOf(ctx.tenantId);
    for (const hook of await acuity.webhooks())
      if (hook.target.endsWith(path)) await removeAcuityWebhook(acuity, hook.id);
  } catch (error) {
    ctx.log.warn({ err: (error as Error).message }, 'the former Acuity account still has our webhook');
  }
}
