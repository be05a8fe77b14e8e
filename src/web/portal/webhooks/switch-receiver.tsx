'use client';
import type { WebhookEndpointView } from '#contract/webhooks.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useRefreshWebhooks } from './use-webhooks.ts';
import { receiverName } from './webhook-labels.ts';

type Props = { receiver: WebhookEndpointView; onClose: () => void };

export function SwitchReceiver({ receiver, onClose }: Props) {
  const client = useTRPCClient();
  const refresh = useRefreshWebhooks();
  const { id, enabled } = receiver;
  const name = receiverName(receiver);
  return enabled ? (
    <ConfirmDialog
      title={`Switch off ${name}?`}
      description="Nothing more is sent there. What waits for it is kept, and goes out when you switch it on again."
      confirmLabel="Switch off"
      act={() => client.webhooks.update.mutate({ id, enabled: false })}
      done={`${name} is switched off`}
      refresh={refresh}
      onClose={onClose}
    />
  ) : (
    <ConfirmDialog
      title={`Switch on ${name}?`}
      description="It gets what waits for it, and what happens from now on. What happened while it was off you can send again from its page."
      confirmLabel="Switch on"
      confirmVariant="primary"
      keepLabel="Leave it off"
      act={() => client.webhooks.update.mutate({ id, enabled: true })}
      done={`${name} is switched on`}
      refresh={refresh}
      onClose={onClose}
    />
  );
}

type DeleteProps = Props & { onDeleted: () => Promise<unknown> };

export function DeleteReceiver({ receiver, onDeleted, onClose }: DeleteProps) {
  const client = useTRPCClient();
  const name = receiverName(receiver);
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      description="Nothing more is sent there, and the list of what was sent goes with it. This cannot be undone. The events themselves stay."
      confirmLabel="Delete receiver"
      act={() => client.webhooks.delete.mutate({ id: receiver.id })}
      done={`${name} is deleted`}
      refresh={onDeleted}
      onClose={onClose}
    />
  );
}
