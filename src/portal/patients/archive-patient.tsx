'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PatientView } from '#contract/patients.ts';
import { AlertDialog } from '#portal/ui/alert-dialog.tsx';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { toast } from '#portal/ui/toast.ts';
import { useTRPC } from '../trpc-client.tsx';
import { nameOfPatient } from './name-of-patient.ts';

type ArchivePatientProps = { patient: PatientView; open: boolean; onOpenChange: (open: boolean) => void };

export function ArchivePatient({ patient, open, onOpenChange }: ArchivePatientProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const archive = useMutation(
    trpc.patients.archive.mutationOptions({
      onSuccess: () => {
        toast.success('Patient archived');
        onOpenChange(false);
        return queries.invalidateQueries(trpc.patients.pathFilter());
      },
    }),
  );
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Archive ${nameOfPatient(patient)}?`}
      description="They are signed out everywhere and cannot book visits or start subscriptions. Their record stays readable."
      confirmLabel="Archive patient"
      keepLabel="Keep active"
      danger
      pending={archive.isPending}
      error={archive.error ? faultSentence(archive.error) : undefined}
      onConfirm={() => archive.mutate({ id: patient.id })}
    />
  );
}
