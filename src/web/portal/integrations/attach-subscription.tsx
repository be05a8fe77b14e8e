'use client';
import type { UnknownSubscriptionView } from '#contract/integrations.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { AttachDialog } from '../patients/attach-dialog.tsx';

type AttachSubscriptionProps = { subscription: UnknownSubscriptionView; onClose: () => void };

/** Assigns a subscription to a patient; from then on its customer at Stripe is this patient. */
export function AttachSubscription({ subscription, onClose }: AttachSubscriptionProps) {
  const client = useTRPCClient();
  return (
    <AttachDialog
      title={`Attach ${subscription.name ?? 'the subscription'} to a patient`}
      description="The customer at Stripe becomes this patient: all of their subscriptions and payments are seen here, under the patient’s name and address."
      attach={(patient_id) => client.subscriptions.attach.mutate({ id: subscription.id, patient_id })}
      done={(name) => `It is ${name}’s now`}
      onClose={onClose}
    />
  );
}
