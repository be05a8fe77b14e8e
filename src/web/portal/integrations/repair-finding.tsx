'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Wrench } from 'lucide-react';
import type { Finding } from '#contract/integrations.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';

/** Sandbox only: fixes a finding at the stand-in for Acuity. */
export function RepairFinding({ finding }: { finding: Finding }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const repair = useMutation(
    trpc.integrations.repairAcuity.mutationOptions({
      onSuccess: () => toast.success('It is put right in the sandbox'),
      onError: (error) => toast.error(firstErrorMessage(error)),
      onSettled: () => queries.invalidateQueries(trpc.integrations.pathFilter()),
    }),
  );
  return (
    <Button
      size="sm"
      pending={repair.isPending}
      aria-label={`Repair: ${finding.message}`}
      onClick={() => repair.mutate({ code: finding.code, object_id: finding.object?.id ?? null })}
    >
      {!repair.isPending && <Wrench aria-hidden />}
      Repair
    </Button>
  );
}
