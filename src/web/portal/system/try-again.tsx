'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FailedJobView } from '#contract/system.ts';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';

export function TryAgain({ job }: { job: FailedJobView }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const retry = useMutation(
    trpc.system.retryJob.mutationOptions({
      onSuccess: () => toast.success('It is being tried again'),
      onError: (error) => toast.error(faultSentence(error)),
      onSettled: () => queries.invalidateQueries(trpc.system.pathFilter()),
    }),
  );
  return (
    <Button
      size="sm"
      pending={retry.isPending}
      onClick={() => retry.mutate({ id: job.id })}
      aria-label={`Try again: ${job.what}`}
    >
      Try again
    </Button>
  );
}
