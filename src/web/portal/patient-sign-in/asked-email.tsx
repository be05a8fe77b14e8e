'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PatientSignInView } from '#contract/patient-sign-in.ts';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';

type AskedEmailProps = { patientId: string; asked: NonNullable<PatientSignInView['asked_email']> };

/** An email change that the patient has not confirmed yet, with a button to withdraw it. */
export function AskedEmail({ patientId, asked }: AskedEmailProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const withdraw = useMutation(
    trpc.patientSignIn.withdrawEmailChange.mutationOptions({
      onSuccess: () => {
        toast.success('The link does not work any more');
        return queries.invalidateQueries(trpc.patientSignIn.pathFilter());
      },
      onError: (error) => toast.error(faultSentence(error)),
    }),
  );
  return (
    <div className="m-4 mb-0 rounded-md bg-info-soft px-3 py-2 text-[13px] text-info-ink">
      <p className="font-medium wrap-anywhere">Waiting for {asked.email}</p>
      <p className="mb-1.5">
        The patient confirms this new address by the link in the mail, until <DateTime value={asked.until} />.
      </p>
      <Button size="sm" pending={withdraw.isPending} onClick={() => withdraw.mutate({ patient_id: patientId })}>
        Take it back
      </Button>
    </div>
  );
}
