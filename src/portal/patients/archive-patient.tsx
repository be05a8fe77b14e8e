'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { PatientView } from '#contract/patients.ts';
import { ConfirmDialog } from '#portal/ui/confirm-dialog.tsx';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';
import { nameOfPatient } from './name-of-patient.ts';

export function ArchivePatient({ patient, onClose }: { patient: PatientView; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={`Archive ${nameOfPatient(patient)}?`}
      description="They are signed out everywhere and cannot book visits or start subscriptions. Their record stays readable."
      confirmLabel="Archive patient"
      keepLabel="Keep active"
      act={() => client.patients.archive.mutate({ id: patient.id })}
      done="Patient archived"
      refresh={() => queries.invalidateQueries(trpc.patients.pathFilter())}
      onClose={onClose}
    />
  );
}
