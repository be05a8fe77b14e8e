import type { Context } from '#server/core/context.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import { removeAcuityWebhook } from './acuity-webhook.ts';

/** Removes our webhook from an account that is not connected any more; a failure is only logged. */
export async function removeTenantWebhooks(ctx: Context, acuity: Acuity): Promise<void> {
  try {
    const path = `/api/webhooks/acuity/${ctx.tenantId}`;
    for (const hook of await acuity.webhooks())
      if (hook.target.endsWith(path)) await removeAcuityWebhook(acuity, hook.id);
  } catch (error) {
    ctx.log.warn({ err: (error as Error).message }, 'the former Acuity account still has our webhook');
  }
}
