'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { UnknownSubscriptionView } from '#contract/integrations.ts';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { toast } from '#web/ui/toast.ts';
import { useLoaded } from '#web/ui/use-loaded.ts';
import { useTRPC } from '../../trpc-client.tsx';

const loadAttach = () => import('./attach-subscription.tsx').then((module) => module.AttachSubscription);

/** Subscriptions made at Stripe for customers who are no patients: staff attach each to a patient, or ignore it. */
export function UnknownSubscriptions({ unknown }: { unknown: UnknownSubscriptionView[] }) {
  const [attaching, setAttaching] = useState<UnknownSubscriptionView | null>(null);
  const Attach = useLoaded(loadAttach, attaching !== null, () => {
    setAttaching(null);
    toast.error('This could not be loaded. Try again.');
  });
  return (
    <Card aria-label="Subscriptions of unknown customers">
      <CardHeader
        title="Subscriptions of unknown customers"
        description="They were made at Stripe, for customers who are no patients here. Say whose each is, or leave it alone."
      />
      <CardBody>
        <ul className="grid gap-3">
          {unknown.map((one) => (
            <UnknownRow key={one.id} one={one} onAttach={() => setAttaching(one)} />
          ))}
        </ul>
      </CardBody>
      {attaching && Attach && <Attach subscription={attaching} onClose={() => setAttaching(null)} />}
    </Card>
  );
}

function UnknownRow({ one, onAttach }: { one: UnknownSubscriptionView; onAttach: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const leave = useMutation(
    trpc.subscriptions.leaveAlone.mutationOptions({
      onSuccess: () => toast.success('It is left alone'),
      onError: (error) => toast.error(faultSentence(error)),
      onSettled: () => queries.invalidateQueries(trpc.integrations.pathFilter()),
    }),
  );
  const name = one.name ?? 'A subscription';
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line pb-3 last:border-0 last:pb-0">
      <div className="grid min-w-0 flex-1 basis-60 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{name}</span>
          <StatusBadge kind="subscription" status={one.status} />
        </span>
        <span className="text-[13px] text-muted">
          Seen first <DateTime value={one.first_seen_at} />
        </span>
        <span className="text-[13px] text-muted wrap-anywhere">
          {one.id}, of {one.customer_id}
        </span>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={`Attach ${name}, ${one.id}, to a patient`} onClick={onAttach}>
          Attach to a patient
        </Button>
        <Button
          variant="ghost"
          aria-label={`Leave ${name}, ${one.id}, alone`}
          pending={leave.isPending}
          onClick={() => leave.mutate({ id: one.id })}
        >
          Leave alone
        </Button>
      </div>
    </li>
  );
}
