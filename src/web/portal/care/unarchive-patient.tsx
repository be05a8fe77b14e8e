'use client';
import type { PatientView } from '#contract/patients.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { useRefreshCare } from './use-care.ts';

export function UnarchivePatient({ patient, onClose }: { patient: PatientView; onClose: () => void }) {
  const client = useTRPCClient();
  return (
    <ConfirmDialog
      title={`Take ${nameOfPatient(patient)} back into care?`}
      description="Appointments and subscriptions can begin again; what has ended stays ended. They cannot sign in until you invite them again."
      confirmLabel="Unarchive patient"
      confirmVariant="primary"
      keepLabel="Keep archived"
      act={() => client.patients.unarchive.mutate({ id: patient.id })}
      done="Patient is active again"
      refresh={useRefreshCare()}
      onClose={onClose}
    />
  );
}
