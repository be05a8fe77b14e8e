'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MessageSquare, RefreshCw, Send } from 'lucide-react';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { Dialog, DialogBody } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

/** Gives the patient the link to the payment page. An active link is reused; only a new one revokes it. */
export function CheckoutLink({ subscription }: { subscription: SubscriptionView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { id: subscription_id, patient_id } = subscription;
  const refresh = () => queries.invalidateQueries(trpc.subscriptions.listCheckoutLinks.pathFilter());
  const patient = useQuery(trpc.patients.get.queryOptions({ id: patient_id }));
  const canMail = patient.data?.email !== null;
  const canText = patient.data?.phone_number !== null;
  const links = useQuery(trpc.subscriptions.listCheckoutLinks.queryOptions({ patient_id }));
  const live = links.data?.find((link) => link.subscription_id === subscription_id && link.state === 'live');
  const allow = useMutation(trpc.subscriptions.createCheckoutLink.mutationOptions({ onSettled: refresh }));
  // The choice made before there is a link applies to the link that is created.
  const [draftChoice, setDraftChoice] = useState(subscription.allow_promotion_codes);
  const codes = allow.isPending
    ? allow.variables.allow_promotion_codes === true
    : (live?.allow_promotion_codes ?? draftChoice);
  const input = { subscription_id, allow_promotion_codes: codes };
  const send = useMutation(trpc.subscriptions.createCheckoutLink.mutationOptions({ onSettled: refresh }));
  const pendingAction = send.isPending
    ? send.variables.renew
      ? 'renew'
      : send.variables.by === 'sms'
        ? 'text'
        : 'send'
    : null;
  return (
    <div className="grid gap-3">
      <p className="text-muted">
        {subscription.next_action === 'setup'
          ? 'The patient opens a link to save a card. Nothing is charged before the trial ends.'
          : 'The patient opens a link to pay. The subscription starts when the payment went through.'}
      </p>
      <p className="text-[13px] text-muted wrap-anywhere">
        {live ? (
          <>
            One link is open, until <DateTime value={live.expires_at} />
            {live.sent_to && `; it was sent to ${live.sent_to}`}. Copying it or sending it again does not change it.
          </>
        ) : (
          'A link works for 24 hours, and only once.'
        )}
      </p>
      <Checkbox
        label="Ask for a promotion code"
        hint="The patient can type a code, and sees the new price before paying."
        checked={codes}
        onCheckedChange={(checked) => {
          setDraftChoice(checked === true);
          if (live) allow.mutate({ subscription_id, allow_promotion_codes: checked === true });
        }}
      />
      {(send.error ?? allow.error) && <FormError>{firstErrorMessage(send.error ?? allow.error)}</FormError>}
      <div className="flex flex-wrap gap-2">
        <CopyButton
          label="Copy link"
          value={async () => {
            const { url } = await client.subscriptions.createCheckoutLink.mutate(input);
            void refresh();
            return url;
          }}
        />
        {canMail && (
          <Button
            variant="primary"
            pending={pendingAction === 'send'}
            onClick={() => send.mutate({ ...input, send: true })}
          >
            <Send aria-hidden />
            Email it to the patient
          </Button>
        )}
        {canText && (
          <Button pending={pendingAction === 'text'} onClick={() => send.mutate({ ...input, send: true, by: 'sms' })}>
            <MessageSquare aria-hidden />
            Text it to the patient
          </Button>
        )}
        {live && (
          <Button pending={pendingAction === 'renew'} onClick={() => send.mutate({ ...input, renew: true })}>
            <RefreshCw aria-hidden />
            New link
          </Button>
        )}
      </div>
      {!canMail && !canText && (
        <p className="text-[13px] text-muted">
          There is no email address and no phone number on record: copy the link and give it to the patient yourself.
        </p>
      )}
      <p role="status" className="text-good-ink empty:hidden">
        {send.data &&
          (send.data.sent_to
            ? `Sent to ${send.data.sent_to}.`
            : 'There is a new link; the old one does not work any more. Copy it, or send it to the patient.')}
      </p>
    </div>
  );
}

type CheckoutLinkDialogProps = { subscription: SubscriptionView; onClose: () => void };

export function CheckoutLinkDialog({ subscription, onClose }: CheckoutLinkDialogProps) {
  return (
    <Dialog open onOpenChange={onClose} title="Payment link" size="sm">
      <DialogBody className="pb-5">
        <CheckoutLink subscription={subscription} />
      </DialogBody>
    </Dialog>
  );
}
