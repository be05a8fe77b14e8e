'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { MessageSquare, RefreshCw, Send } from 'lucide-react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dialog, DialogBody } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

type ManageLinkProps = { subscription: Pick<SubscriptionView, 'id' | 'patient_id'> };

/** Gives the patient a link to their subscription's page. An active link is reused; only a new one revokes it. */
function ManageLink({ subscription: { id: subscription_id, patient_id } }: ManageLinkProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const createLink = useMutation(trpc.subscriptions.createManageLink.mutationOptions());
  const patient = useQuery(trpc.patients.get.queryOptions({ id: patient_id }));
  const canMail = patient.data?.email !== null;
  const canText = patient.data?.phone_number !== null;
  const pendingAction = createLink.isPending
    ? createLink.variables.renew
      ? 'renew'
      : createLink.variables.by === 'sms'
        ? 'text'
        : 'send'
    : null;
  return (
    <div className="grid gap-3">
      <p className="text-muted">
        On this page the patient sees the subscription, its bills and its card, and changes what your clinic lets
        patients change. Anyone who has the link can do so: give it to the patient only. It works for 24 hours.
      </p>
      {createLink.error && <FormError>{firstErrorMessage(createLink.error)}</FormError>}
      <div className="flex flex-wrap gap-2">
        <CopyButton
          label="Copy link"
          value={async () => (await client.subscriptions.createManageLink.mutate({ subscription_id })).url}
        />
        {canMail && (
          <Button
            variant="primary"
            pending={pendingAction === 'send'}
            onClick={() => createLink.mutate({ subscription_id, send: true })}
          >
            <Send aria-hidden />
            Email it to the patient
          </Button>
        )}
        {canText && (
          <Button
            pending={pendingAction === 'text'}
            onClick={() => createLink.mutate({ subscription_id, send: true, by: 'sms' })}
          >
            <MessageSquare aria-hidden />
            Text it to the patient
          </Button>
        )}
        <Button pending={pendingAction === 'renew'} onClick={() => createLink.mutate({ subscription_id, renew: true })}>
          <RefreshCw aria-hidden />
          New link
        </Button>
      </div>
      {!canMail && !canText && (
        <p className="text-[13px] text-muted">
          There is no email address and no phone number on record: copy the link and give it to the patient yourself.
        </p>
      )}
      <p role="status" className="text-good-ink empty:hidden">
        {createLink.data &&
          (createLink.data.sent_to
            ? `Sent to ${createLink.data.sent_to}.`
            : 'There is a new link; the old one does not work any more. Copy it, or send it to the patient.')}
      </p>
    </div>
  );
}

export function ManageLinkDialog({ subscription, onClose }: ManageLinkProps & { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title="Link to manage" size="sm">
      <DialogBody className="pb-5">
        <ManageLink subscription={subscription} />
      </DialogBody>
    </Dialog>
  );
}
