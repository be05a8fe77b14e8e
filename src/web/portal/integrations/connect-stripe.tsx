'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useQueryParam } from '../use-query-param.ts';

type ConnectStripeProps = {
  connected: boolean;
  /** Its holder has given all details. */
  ready: boolean;
};

/** Makes the clinic's account where there is none yet, then leads to Stripe's own page for its details. */
export function ConnectStripe({ connected, ready }: ConnectStripeProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const connect = useMutation({
    mutationFn: async () => {
      if (!connected) await client.integrations.connectStripe.mutate({});
      return client.integrations.stripeOnboarding.mutate({});
    },
    onSuccess: ({ url }) => window.location.assign(url),
    onSettled: () => queries.invalidateQueries(trpc.integrations.pathFilter()),
  });
  const { mutate: look } = useMutation({
    mutationFn: () => client.integrations.check.mutate({ provider: 'stripe' }),
    onSettled: () => queries.invalidateQueries(trpc.integrations.pathFilter()),
  });

  // Stripe leads back here: from a link that had run out, for another, or when somebody is done there.
  const [back, setBack] = useQueryParam('stripe');
  const isMet = useRef(false);
  useEffect(() => {
    if (!back || !connected || isMet.current) return;
    isMet.current = true;
    // Whoever goes back in the browser stays here.
    setBack('');
    if (back === 'expired') connect.mutate();
    if (back === 'returned') look();
  }, [back, connected, connect, look, setBack]);

  const label = connected ? (ready ? 'Account details at Stripe' : 'Go on at Stripe') : 'Connect';
  return (
    <>
      {connect.error && <FormError>{faultSentence(connect.error)}</FormError>}
      <Button
        variant={connected && ready ? 'secondary' : 'primary'}
        pending={connect.isPending || connect.isSuccess}
        onClick={() => connect.mutate()}
      >
        {label}
        <ExternalLink aria-hidden />
      </Button>
    </>
  );
}
