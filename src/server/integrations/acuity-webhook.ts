import type { Context } from '#server/core/context.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import type { AcuityWebhook } from '#server/providers/acuity-shapes.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';

/** Sent for every kind of change of an appointment, so one subscription is enough. */
const EVENT = 'appointment.changed';

/**
 * Ensures exactly one active webhook of this tenant at Acuity, with the current public address; webhooks of others
 * stay. Idempotent. Registers it again when Acuity has disabled it, which it does after days of failures.
 */
export async function registerAcuityWebhook(
  { config, tenantId }: Pick<Context, 'config' | 'tenantId'>,
  acuity: Acuity,
): Promise<number> {
  const path = `/api/webhooks/acuity/${tenantId}`;
  const target = config.publicUrl + path;
  const ours = (await acuity.webhooks()).filter((hook) => hook.target.endsWith(path));
  const right = ours.find((hook) => hook.target === target && hook.event === EVENT && isActive(hook));
  for (const hook of ours) if (hook !== right) await removeAcuityWebhook(acuity, hook.id);
  return right?.id ?? (await acuity.addWebhook(EVENT, target)).id;
}

const isActive = ({ status }: AcuityWebhook): boolean => (status ?? 'active') === 'active';

/** Ignores a webhook that is gone already, for example removed by a concurrent check. */
export async function removeAcuityWebhook(acuity: Acuity, id: number): Promise<void> {
  try {
    await acuity.removeWebhook(id);
  } catch (error) {
    if (!(error instanceof SchedulingError) || error.reason !== 'not_found') throw error;
  }
}
