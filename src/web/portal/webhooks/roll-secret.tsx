'use client';
import { useMutation } from '@tanstack/react-query';
import type { WebhookEndpointView } from '#contract/webhooks.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { NewSecret } from './new-secret.tsx';
import { useRefreshWebhooks } from './use-webhooks.ts';
import { receiverName } from './webhook-labels.ts';

export function RollSecret({ receiver, onClose }: { receiver: WebhookEndpointView; onClose: () => void }) {
  const trpc = useTRPC();
  const refresh = useRefreshWebhooks();
  const roll = useMutation(trpc.webhooks.rollSecret.mutationOptions({ onSuccess: refresh }));
  return (
    <Dialog
      open
      isHeld={roll.data !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title={`New secret for ${receiverName(receiver)}`}
    >
      {roll.data ? (
        <NewSecret
          secret={roll.data.secret}
          next="The secret before counts for 24 hours more. Give your receiver the new one until then."
          onDone={onClose}
        />
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
