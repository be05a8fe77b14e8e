'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PatientSessionView } from '#contract/patient-sign-in.ts';
import type { PatientView } from '#contract/patients.ts';
import { AlertDialog } from '#portal/ui/alert-dialog.tsx';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { toast } from '#portal/ui/toast.ts';
import { nameOfPatient } from '../patients/name-of-patient.ts';
import { useTRPC } from '../trpc-client.tsx';
import { deviceWords } from './sign-in-words.ts';

type EndSessionsProps = { patient: PatientView; session: PatientSessionView | 'all'; onClose: () => void };

/** Asks before a patient is signed out of one device, or of all. */
export function EndSessions({ patient, session, onClose }: EndSessionsProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const onSuccess = () => {
    toast.success('Signed out');
    onClose();
    return queries.invalidateQueries(trpc.patientSignIn.pathFilter());
  };
  const endOne = useMutation(trpc.patientSignIn.endSession.mutationOptions({ onSuccess }));
  const endAll = useMutation(trpc.patientSignIn.endSessions.mutationOptions({ onSuccess }));
  const error = endOne.error ?? endAll.error;
  const name = nameOfPatient(patient);
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={session === 'all' ? `Sign ${name} out everywhere?` : `Sign ${name} out of ${deviceWords(session)}?`}
      description="Within a second their app is refused there. They can sign in again."
      confirmLabel={session === 'all' ? 'Sign out everywhere' : 'Sign out'}
      keepLabel="Keep signed in"
      danger
      pending={endOne.isPending || endAll.isPending}
      error={error ? faultSentence(error) : undefined}
      onConfirm={() =>
        session === 'all'
          ? endAll.mutate({ patient_id: patient.id })
          : endOne.mutate({ patient_id: patient.id, session_id: session.id })
      }
    />
  );
}
