'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PatientView } from '#contract/patients.ts';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';

/** Invites a patient who cannot sign in yet, or says what prevents it. */
export function InviteToSignIn({ patient }: { patient: PatientView }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { invites_enabled } = useMe().tenant;
  const invite = useMutation(
    trpc.invitations.invite.mutationOptions({
      onSuccess: async () => {
        toast.success('Invitation sent');
        await Promise.all([
          queries.invalidateQueries(trpc.patients.pathFilter()),
          queries.invalidateQueries(trpc.patientSignIn.pathFilter()),
        ]);
      },
      onError: (error) => toast.error(faultSentence(error)),
    }),
  );
  if (!invites_enabled)
    return <Hint>To let them sign in, an administrator turns on invitations under API credentials.</Hint>;
  if (!patient.email && !patient.phone_number)
    return <Hint>To let them sign in, add a mobile number to their details.</Hint>;
  return (
    <Button size="sm" pending={invite.isPending} onClick={() => invite.mutate({ id: patient.id })}>
      Invite to sign in
    </Button>
  );
}

const Hint = ({ children }: { children: string }) => <p className="text-[13px] text-muted">{children}</p>;
