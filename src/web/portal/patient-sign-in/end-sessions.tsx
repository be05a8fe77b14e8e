'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { PatientSessionView } from '#contract/patient-sign-in.ts';
import type { PatientView } from '#contract/patients.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { deviceLabel } from './sign-in-labels.ts';

type EndSessionsProps = { patient: PatientView; session: PatientSessionView | 'all'; onClose: () => void };

/** Confirms before a patient is signed out of one device, or of all. */
export function EndSessions({ patient, session, onClose }: EndSessionsProps) {
  const trpc = useTRPC();
  const { patientSignIn } = useTRPCClient();
  const queries = useQueryClient();
  const name = nameOfPatient(patient);
  return (
    <ConfirmDialog
      title={session === 'all' ? `Sign ${name} out everywhere?` : `Sign ${name} out of ${deviceLabel(session)}?`}
      description="Within a second their app is refused there. They can sign in again."
      confirmLabel={session === 'all' ? 'Sign out everywhere' : 'Sign out'}
      keepLabel="Keep signed in"
      act={() =>
        session === 'all'
          ? patientSignIn.endSessions.mutate({ patient_id: patient.id })
          : patientSignIn.endSession.mutate({ patient_id: patient.id, session_id: session.id })
      }
      done="Signed out"
      refresh={() => queries.invalidateQueries(trpc.patientSignIn.pathFilter())}
      onClose={onClose}
    />
  );
}
