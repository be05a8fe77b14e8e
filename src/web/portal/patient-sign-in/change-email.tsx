'use client';
import { useQueryClient } from '@tanstack/react-query';
import { RequestEmailChangeInput } from '#contract/address-changes.ts';
import type { PatientView } from '#contract/patients.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input, Textarea } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { nameOfPatient } from '../patients/patient.ts';

type ChangeEmailDialogProps = { patient: PatientView; onClose: () => void };

/** Starts an email change for a patient who signs in; the patient confirms it. */
export function ChangeEmailDialog(props: ChangeEmailDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title={`Change the email address of ${nameOfPatient(props.patient)}`}
      description="We mail a link to the new address. Nothing changes before the patient opens it; then the old address gets an email, and can undo it for 72 hours. The patient stays signed in."
    >
      <ChangeEmailForm {...props} />
    </Dialog>
  );
}

const ChangeEmailValues = RequestEmailChangeInput.omit({ patient_id: true });

function ChangeEmailForm({ patient, onClose }: ChangeEmailDialogProps) {
  const trpc = useTRPC();
  const { patientSignIn } = useTRPCClient();
  const queries = useQueryClient();
  const form = useApiForm({
    schema: ChangeEmailValues,
    defaultValues: { identity_check: '', email: '' },
    save: async (values) => {
      await patientSignIn.askEmailChange.mutate({ patient_id: patient.id, ...values });
      toast.success('Link mailed to the new address');
      onClose();
      await queries.invalidateQueries(trpc.patientSignIn.pathFilter());
    },
  });
  return (
    <DialogForm form={form} submitLabel="Mail the link">
      <FormField name="email" label="New email address">
        {(field) => <Input {...field} type="email" autoComplete="off" />}
      </FormField>
      <FormField
        name="identity_check"
        label="How did you make sure who it is?"
        hint="For example: passport shown at the front desk, or called back on a number from the record. Kept with your name."
      >
        {(field) => <Textarea {...field} maxLength={500} />}
      </FormField>
    </DialogForm>
  );
}
