'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';

/** Sends an invited patient a new link and temporary password. */
export function ResendInvitation({ patientId }: { patientId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const resend = useMutation(
    trpc.invitations.resend.mutationOptions({
      onSuccess: () => {
        toast.success('Invitation sent again');
        return queries.invalidateQueries(trpc.patientSignIn.pathFilter());
      },
      onError: (error) => toast.error(faultSentence(error)),
    }),
  );
  return (
    <Button size="sm" pending={resend.isPending} onClick={() => resend.mutate({ id: patientId })}>
      Send invitation again
    </Button>
  );
}
