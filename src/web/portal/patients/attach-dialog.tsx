'use client';
import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { Combobox, type ComboboxOption } from '#web/ui/combobox.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { toast } from '#web/ui/toast.ts';
import { usePatientOptions } from './use-patient-search.ts';

const PatientChoice = z.object({ value: z.string(), label: z.string(), hint: z.string().optional() });
const AttachValues = z.object({
  patient_id: PatientChoice.nullable().refine((choice) => choice !== null, 'Choose a patient.'),
});

type AttachFormProps = {
  proposed?: ComboboxOption | null;
  hint?: string | undefined;
  attach(patientId: string): Promise<unknown>;
  /** Success message with the name of the chosen patient. */
  done(name: string): string;
  onClose(): void;
};
type AttachDialogProps = AttachFormProps & { title: string; description: string };

/** Assigns an object that came from a provider to a patient. */
export function AttachDialog({ title, description, ...form }: AttachDialogProps) {
  return (
    <Dialog open onOpenChange={form.onClose} title={title} description={description}>
      <AttachForm {...form} />
    </Dialog>
  );
}

function AttachForm({ proposed = null, hint, attach, done, onClose }: AttachFormProps) {
  const queries = useQueryClient();
  const searchPatients = usePatientOptions();
  const form = useApiForm({
    schema: AttachValues,
    defaultValues: { patient_id: proposed },
    save: async ({ patient_id: patient }) => {
      if (!patient) throw new Error('the schema requires a patient');
      await attach(patient.value);
      await queries.invalidateQueries();
      toast.success(done(patient.label));
      onClose();
    },
  });
  return (
    <DialogForm form={form} submitLabel="Attach">
      <FormField name="patient_id" label="Patient" {...(hint && { hint })}>
        {({ value, onChange, ref }) => (
          <Combobox
            ref={ref}
            value={(value || null) as ComboboxOption | null}
            onChange={onChange}
            search={searchPatients}
            placeholder="Search by name, date of birth or phone"
          />
        )}
      </FormField>
    </DialogForm>
  );
}
