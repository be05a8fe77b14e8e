'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

/** Reverts a planned end. */
export function UndoCancellation({ subscription, onClose }: { subscription: SubscriptionView; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={`Keep ${subscription.name ?? 'the subscription'} running?`}
      description="It does not end as planned, but renews by itself. The card on file is charged with the next bill."
      confirmLabel="Keep it running"
      confirmVariant="primary"
      keepLabel="Let it end"
      act={() => client.subscriptions.update.mutate({ id: subscription.id, cancel_at_period_end: false })}
      done="It goes on"
      refresh={() => queries.invalidateQueries(trpc.subscriptions.pathFilter())}
      onClose={onClose}
    />
  );
}
