'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { PatientView } from '#contract/patients.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { useApiForm } from '#web/ui/form.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { PatientFields } from './patient-fields.tsx';
import { fromFormValues, toFormValues } from './patient-form-values.ts';

type PatientDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The patient to edit; without one, a new patient is added. */
  patient?: PatientView;
  /** Invites the new patient to sign in. */
  invite?: boolean;
  onSaved?: (patient: PatientView) => void;
};

const ADDING = 'They are cared for by your clinic and cannot sign in themselves.';
const INVITING = 'They get a mail with a temporary password or, without an email, a text to sign in with their number.';

export function PatientDialog({ open, onOpenChange, ...form }: PatientDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={form.patient ? 'Edit patient' : form.invite ? 'Invite patient' : 'Add patient'}
      {...(!form.patient && { description: form.invite ? INVITING : ADDING })}
    >
      <PatientForm {...form} close={() => onOpenChange(false)} />
    </Dialog>
  );
}

type PatientFormProps = Pick<PatientDialogProps, 'patient' | 'invite' | 'onSaved'> & { close: () => void };

function PatientForm({ patient, invite = false, onSaved, close }: PatientFormProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const form = useApiForm({
    schema: async () => (await import('./patient-form-schema.ts')).PatientFormValues,
    defaultValues: toFormValues(patient),
    save: async (values) => {
      const input = fromFormValues(values);
      const saved = patient
        ? await client.patients.update.mutate({
            id: patient.id,
            ...input,
            ...(!patient.can_sign_in && values.email !== (patient.email ?? '') && { email: values.email || null }),
          })
        : await (invite ? client.invitations.create : client.patients.create).mutate({
            ...input,
            ...(values.email && { email: values.email }),
          });
      await Promise.all([
        queries.invalidateQueries(trpc.patients.pathFilter()),
        queries.invalidateQueries(trpc.patientSignIn.pathFilter()),
      ]);
      toast.success(patient ? 'Changes saved' : invite ? 'Invitation sent' : 'Patient added');
      close();
      onSaved?.(saved);
    },
  });
  return (
    <DialogForm form={form} submitLabel={patient ? 'Save changes' : invite ? 'Send invitation' : 'Add patient'}>
      <PatientFields
        signsIn={patient?.can_sign_in ?? false}
        invited={patient?.status === 'invited' && patient.email !== null}
      />
    </DialogForm>
  );
}
