import type { Services } from '#server/core/context.ts';
import { createSender } from './sender.ts';

/** The webhook services of a process; a worker process has a sender. */
export function createWebhookServices() {
  let sender: ReturnType<typeof createSender> | null = null;
  return {
    /** For worker processes: starts sending the due deliveries of all tenants. */
    start(services: Services): void {
      sender ??= createSender(services);
      sender.start();
    },
    /** Reports that something of this tenant is due. A no-op in processes without a sender. */
    nudge: (tenantId: string): void => sender?.nudge(tenantId),
    async close(): Promise<void> {
      await sender?.close();
    },
  };
}
