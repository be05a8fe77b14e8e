'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RefreshCw, Send } from 'lucide-react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { Button } from '#portal/ui/button.tsx';
import { CopyButton } from '#portal/ui/copy-button.tsx';
import { DateTime } from '#portal/ui/date-time.tsx';
import { FormError } from '#portal/ui/form-error.tsx';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';

/** Hands the patient the page to pay on. The link that is live is given again; only a new one ends it. */
export function CheckoutLink({ subscription }: { subscription: SubscriptionView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { id: subscription_id, patient_id } = subscription;
  const refresh = () => queries.invalidateQueries(trpc.subscriptions.listCheckoutLinks.pathFilter());
  const links = useQuery(trpc.subscriptions.listCheckoutLinks.queryOptions({ patient_id }));
  const live = links.data?.find((link) => link.subscription_id === subscription_id && link.state === 'live');
  const give = useMutation(trpc.subscriptions.createCheckoutLink.mutationOptions({ onSettled: refresh }));
  const doing = give.isPending ? (give.variables.renew ? 'renew' : 'send') : null;
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
            {live.sent_to && `; it was mailed to ${live.sent_to}`}. Copying it or mailing it again does not change it.
          </>
        ) : (
          'A link works for 24 hours, and only once.'
        )}
      </p>
      {give.error && <FormError>{faultSentence(give.error)}</FormError>}
      <div className="flex flex-wrap gap-2">
        <CopyButton
          label="Copy link"
          value={async () => {
            const { url } = await client.subscriptions.createCheckoutLink.mutate({ subscription_id });
            void refresh();
            return url;
          }}
        />
        <Button
          variant="primary"
          pending={doing === 'send'}
          onClick={() => give.mutate({ subscription_id, send: true })}
        >
          <Send aria-hidden />
          Email it to the patient
        </Button>
        {live && (
          <Button pending={doing === 'renew'} onClick={() => give.mutate({ subscription_id, renew: true })}>
            <RefreshCw aria-hidden />
            New link
          </Button>
        )}
      </div>
      <p role="status" className="text-good-ink empty:hidden">
        {give.data &&
          (give.data.sent_to
            ? `Sent to ${give.data.sent_to}.`
            : 'There is a new link; the one before does not work any more. Copy it, or mail it to the patient.')}
      </p>
    </div>
  );
}
