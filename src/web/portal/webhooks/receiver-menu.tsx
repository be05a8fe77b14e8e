'use client';
import { useMutation } from '@tanstack/react-query';
import { Pencil, Power, RefreshCw, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { WebhookEndpointView } from '#contract/webhooks.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC } from '../../trpc-client.tsx';
import { RowMenu } from '../shell/action-menu.tsx';
import { receiverName } from './webhook-labels.ts';

const ChangeReceiver = lazyComponent(() => import('./receiver-dialog.tsx').then((module) => module.ChangeReceiver));
const RollSecret = lazyComponent(() => import('./receiver-actions.tsx').then((module) => module.RollSecret));
const SwitchReceiver = lazyComponent(() => import('./receiver-actions.tsx').then((module) => module.SwitchReceiver));
const DeleteReceiver = lazyComponent(() => import('./receiver-actions.tsx').then((module) => module.DeleteReceiver));

type Props = {
  receiver: WebhookEndpointView;
  /** Leaves the page, or refetches. */
  onDeleted: () => Promise<unknown>;
};

/** Actions on a receiver as a whole. */
export function ReceiverMenu({ receiver, onDeleted }: Props) {
  const [open, setOpen] = useState<'change' | 'roll' | 'switch' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const sendTest = useTestReceiver();
  return (
    <span className="relative">
      <RowMenu
        of={receiverName(receiver)}
        entries={[
          { kind: 'action', label: 'Change', icon: Pencil, onSelect: () => setOpen('change') },
          ...(receiver.enabled
            ? [
                {
                  kind: 'action' as const,
                  label: 'Send a test',
                  icon: Send,
                  onSelect: () => sendTest.mutate({ id: receiver.id }),
                },
              ]
            : []),
          { kind: 'action', label: 'New secret', icon: RefreshCw, onSelect: () => setOpen('roll') },
          {
            kind: 'action',
            label: receiver.enabled ? 'Switch off' : 'Switch on',
            icon: Power,
            onSelect: () => setOpen('switch'),
          },
          { kind: 'action', label: 'Delete', icon: Trash2, danger: true, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'change' && <ChangeReceiver receiver={receiver} onClose={close} />}
      {open === 'roll' && <RollSecret receiver={receiver} onClose={close} />}
      {open === 'switch' && <SwitchReceiver receiver={receiver} onClose={close} />}
      {open === 'delete' && <DeleteReceiver receiver={receiver} onDeleted={onDeleted} onClose={close} />}
    </span>
  );
}

/** Sends a test message without data; its result is shown among the deliveries. */
export function useTestReceiver() {
  const trpc = useTRPC();
  const refresh = useInvalidate('webhooks');
  return useMutation(
    trpc.webhooks.test.mutationOptions({
      onSuccess: () => toast.success('A test is on its way. The receiver’s page shows how it went.'),
      onError: (error) => toast.error(firstErrorMessage(error)),
      onSettled: refresh,
    }),
  );
}
