'use client';
import { useMutation } from '@tanstack/react-query';
import type { WebhookEndpointView } from '#contract/webhooks.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { SecretField } from '#web/ui/copy-field.tsx';
import { Dialog, DialogBody, DialogFooter, ShownOnce } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { receiverName } from './webhook-labels.ts';

type Props = { receiver: WebhookEndpointView; onClose: () => void };

export function SwitchReceiver({ receiver, onClose }: Props) {
  const client = useTRPCClient();
  const refresh = useInvalidate('webhooks');
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

export function RollSecret({ receiver, onClose }: { receiver: WebhookEndpointView; onClose: () => void }) {
  const trpc = useTRPC();
  const refresh = useInvalidate('webhooks');
  const roll = useMutation(trpc.webhooks.rollSecret.mutationOptions({ onSuccess: refresh }));
  return (
    <Dialog
      open
      isHeld={roll.data !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title={`New secret for ${receiverName(receiver)}`}
    >
      {roll.data ? (
        <ShownOnce onDone={onClose}>
          <SecretField label="Signing secret" value={roll.data.secret} />
          <p className="text-muted">
            The previous secret is valid for 24 more hours. Give your receiver the new one before then.
          </p>
        </ShownOnce>
      ) : (
        <>
          <DialogBody>
            {roll.error && <FormError>{firstErrorMessage(roll.error)}</FormError>}
            <p>
              A new secret is made. For 24 hours everything is signed with both, so that your receiver can change over
              without missing anything. After that only the new one counts.
            </p>
            {receiver.old_secret_until && (
              <p className="mt-2">One was made within the last 24 hours already: the one before that ends at once.</p>
            )}
          </DialogBody>
          <DialogFooter>
            <Button onClick={onClose}>Close</Button>
            <Button variant="primary" pending={roll.isPending} onClick={() => roll.mutate({ id: receiver.id })}>
              Make a new secret
            </Button>
          </DialogFooter>
        </>
      )}
    </Dialog>
  );
}
