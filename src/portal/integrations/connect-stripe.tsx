'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { Button } from '#portal/ui/button.tsx';
import { FormError } from '#portal/ui/form-error.tsx';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';

/** Makes the clinic's account where there is none yet, then leads to Stripe's own page for its details. */
export function ConnectStripe({ connected }: { connected: boolean }) {
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
  return (
    <>
      {connect.error && <FormError>{faultSentence(connect.error)}</FormError>}
      <Button
        variant={connected ? 'secondary' : 'primary'}
        pending={connect.isPending || connect.isSuccess}
        onClick={() => connect.mutate()}
      >
        {connected ? 'Account details at Stripe' : 'Connect'}
        <ExternalLink aria-hidden />
      </Button>
    </>
  );
}
