import type { Context } from '#server/core/context.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import type { AcuityWebhook } from '#server/providers/acuity-shapes.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';

/** It fires for every kind of change of an appointment, so that one subscription suffices. */
const EVENT = 'appointment.changed';

/**
 * Leaves exactly one webhook of ours at Acuity, active and aimed at the service's present address. Others' webhooks stay.
 * Runs again without effect, moves the webhook when the public address changed, and makes it anew when Acuity has switched
 * it off, as it does after days of failures.
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

/** One that is gone already, such as by another check at the same moment, is removed too. */
export async function removeAcuityWebhook(acuity: Acuity, id: number): Promise<void> {
  try {
    await acuity.removeWebhook(id);
  } catch (error) {
    if (!(error instanceof SchedulingError) || error.reason !== 'not_found') throw error;
  }
}
