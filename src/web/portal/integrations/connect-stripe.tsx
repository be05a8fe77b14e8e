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
  /** The account holder has submitted all details. */
  ready: boolean;
};

/** Creates the clinic's Stripe account if there is none, then leads to Stripe's onboarding page. */
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

  // Stripe redirects back here from an expired link, which needs a new one, or when the user has finished.
  const [back, setBack] = useQueryParam('stripe');
  const isMet = useRef(false);
  useEffect(() => {
    if (!back || !connected || isMet.current) return;
    isMet.current = true;
    // Clears the parameter, so that going back in the browser does not redirect again.
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
