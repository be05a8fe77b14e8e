'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import type { IntegrationProvider } from '#contract/integrations.ts';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { PROVIDERS } from './provider-names.ts';

/** Checks the provider's status immediately. */
export function CheckNow({ provider }: { provider: IntegrationProvider }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const check = useMutation(
    trpc.integrations.check.mutationOptions({
      onSuccess: () => toast.success(`${PROVIDERS[provider].name} was checked and is being compared`),
      onError: (error) => toast.error(faultSentence(error)),
      onSettled: () => queries.invalidateQueries(trpc.integrations.pathFilter()),
    }),
  );
  return (
    <Button pending={check.isPending} onClick={() => check.mutate({ provider })}>
      {!check.isPending && <RefreshCw aria-hidden />}
      Check now
    </Button>
  );
}
