import type { Services } from '#server/core/context.ts';
import { createSender } from './sender.ts';

/** What webhooks keep as long as the services live: who sends them, in a process that works. */
export function createWebhookServices() {
  let sender: ReturnType<typeof createSender> | null = null;
  return {
    /** For processes that work: from now on sends what is due, of all tenants. */
    start(services: Services): void {
      sender ??= createSender(services);
      sender.start();
    },
    /** Something of this tenant's is due. Processes that only serve leave it to the others. */
    nudge: (tenantId: string): void => sender?.nudge(tenantId),
    async close(): Promise<void> {
      await sender?.close();
    },
  };
}
