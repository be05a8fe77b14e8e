'use client';
import { useMutation } from '@tanstack/react-query';
import type { ApplicationView, NewSecretView } from '#contract/settings.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyField, SecretField } from '#web/ui/copy-field.tsx';
import { Dialog, DialogBody, DialogFooter, ShownOnce } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { useInvalidate, useTRPC } from '../../trpc-client.tsx';
import { ApiAddresses } from './api-addresses.tsx';

/** Shows a client secret once. */
export function NewSecret({ created, onDone }: { created: NewSecretView; onDone: () => void }) {
  return (
    <ShownOnce onDone={onDone}>
      <CopyField label="Client id" value={created.application.client_id} />
      <SecretField label="Client secret" value={created.client_secret} />
      <ApiAddresses />
    </ShownOnce>
  );
}

export function RotateSecretDialog({ application, onClose }: { application: ApplicationView; onClose: () => void }) {
  const trpc = useTRPC();
  const refresh = useInvalidate('applications');
  const rotate = useMutation(trpc.applications.rotateSecret.mutationOptions({ onSuccess: refresh }));
  return (
    <Dialog
      open
      // Also held while pending: the new secret would be lost.
      isHeld={rotate.isPending || rotate.data !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title={`New secret for ${application.name}`}
    >
      {rotate.data ? (
        <NewSecret created={rotate.data} onDone={onClose} />
      ) : (
        <>
          <DialogBody>
            {rotate.error && <FormError>{firstErrorMessage(rotate.error)}</FormError>}
            <p>
              A second secret is made and the old one keeps working, so that your servers can change over without a
              pause. Revoke the old one when they have.
            </p>
          </DialogBody>
          <DialogFooter>
            <Button disabled={rotate.isPending} onClick={onClose}>
              Close
            </Button>
            <Button variant="primary" pending={rotate.isPending} onClick={() => rotate.mutate({ id: application.id })}>
              Make a new secret
            </Button>
          </DialogFooter>
        </>
      )}
    </Dialog>
  );
}
