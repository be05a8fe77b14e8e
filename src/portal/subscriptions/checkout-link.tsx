'use client';
import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { Button } from '#portal/ui/button.tsx';
import { CopyButton } from '#portal/ui/copy-button.tsx';
import { FormError } from '#portal/ui/form-error.tsx';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';

/** Hands the patient the page to pay on. Each press makes a fresh one-time link; nothing of it is kept on screen. */
export function CheckoutLink({ subscription }: { subscription: SubscriptionView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const send = useMutation(trpc.subscriptions.createCheckoutLink.mutationOptions());
  const subscription_id = subscription.id;
  return (
    <div className="grid gap-3">
      <p className="text-muted">
        {subscription.next_action === 'setup'
          ? 'The patient opens a link to save a card. Nothing is charged before the trial ends.'
          : 'The patient opens a link to pay. The subscription starts when the payment went through.'}
      </p>
      <p className="text-[13px] text-muted">A link works for 24 hours, and a new one replaces the one before.</p>
      {send.error && <FormError>{faultSentence(send.error)}</FormError>}
      <div className="flex flex-wrap gap-2">
        <CopyButton
          label="Copy link"
          value={async () => (await client.subscriptions.createCheckoutLink.mutate({ subscription_id })).url}
        />
        <Button variant="primary" pending={send.isPending} onClick={() => send.mutate({ subscription_id, send: true })}>
          <Send aria-hidden />
          Email it to the patient
        </Button>
      </div>
      <p role="status" className="text-good-ink empty:hidden">
        {send.data?.sent_to && `Sent to ${send.data.sent_to}.`}
      </p>
    </div>
  );
}
