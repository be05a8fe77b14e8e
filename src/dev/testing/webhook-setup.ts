import type { CreateWebhookEndpointInput } from '#contract/webhooks.ts';
import { systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { type EventName, record } from '#server/core/record.ts';
import { createEndpoint } from '#server/webhooks/change-endpoint.ts';
import { asAdmin, makeTenant } from './actors.ts';
import type { Clinic } from './clinic.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

/** Starts to send webhooks, and adds receivers and tenants. */
export async function withWebhooks({ database, services, clock, stop }: Clinic<'clock'>) {
  services.events.start();
  services.webhooks.start(services);
  const receivers: Receiver[] = [];
  return {
    database,
    services,
    async receiver(respond?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
      const started = await startReceiver(respond);
      receivers.push(started);
      return started;
    },
    /** Creates a tenant. `recordEvent` records an event. */
    async tenant() {
      const { id } = await makeTenant(services);
      const ctx = systemContext(services, id, 'test');
      const admin = asAdmin(services, { id });
      return {
        id,
        ctx,
        admin,
        endpoint: (url: string, more: Partial<CreateWebhookEndpointInput> = {}) =>
          createEndpoint(admin, { url, event_types: ['*'], ...more }),
        recordEvent: (event: EventName, objectId = newId(), patientId: string | null = null, payload: object = {}) =>
          ctx.db.$transaction((tx) =>
            record(tx, ctx, {
              action: 'patients.update',
              object: { type: 'Test', id: objectId },
              patientId,
              event,
              payload: { id: objectId, ...payload },
            }),
          ),
      };
    },
    pass(ms: number, tenantId: string): void {
      clock.pass(ms);
      services.webhooks.nudge(tenantId);
    },
    async stop(): Promise<void> {
      await stop();
      for (const receiver of receivers) await receiver.stop();
    },
  };
}

export type WebhookSetup = Awaited<ReturnType<typeof withWebhooks>>;
