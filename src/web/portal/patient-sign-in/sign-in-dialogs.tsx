'use client';
import { useQueryClient } from '@tanstack/react-query';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import { z } from 'zod';
import { RequestEmailChangeInput } from '#contract/address-changes.ts';
import { MAX_IDENTITY_CHECK_LENGTH } from '#contract/limits.ts';
import { HelpSignInInput, type PatientSessionView, type PatientSignInView } from '#contract/patient-sign-in.ts';
import type { PatientView } from '#contract/patients.ts';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { LongText } from '#web/ui/long-text.tsx';
import { PhoneInput } from '#web/ui/phone-input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { deviceLabel } from './sign-in-labels.ts';

type Method = 'email' | 'phone_number';
type HelpDialogProps = { patient: PatientView; signIn: PatientSignInView; onClose: () => void };

/** Sets another way to sign in for a patient who lost theirs, once staff have verified the identity. */
export function HelpDialog(props: HelpDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title={`Help ${nameOfPatient(props.patient)} with signing in`}
      description="For a lost phone, mailbox or password. From then on they sign in this way only; all devices are signed out, and the old address gets an email."
    >
      <HelpForm {...props} />
    </Dialog>
  );
}

const { identity_check, email, phone_number } = HelpSignInInput.shape;
const SCHEMAS = {
  email: z.object({ identity_check, email: email.unwrap(), phone_number: z.string() }),
  phone_number: z.object({ identity_check, email: z.string(), phone_number: phone_number.unwrap() }),
};

function HelpForm({ patient, signIn, onClose }: HelpDialogProps) {
  const trpc = useTRPC();
  const { patientSignIn } = useTRPCClient();
  const queries = useQueryClient();
  const [method, setMethod] = useState<Method>(signIn.ways.includes('text_message') ? 'phone_number' : 'email');
  const form = useApiForm({
    schema: SCHEMAS[method],
    defaultValues: { identity_check: '', email: '', phone_number: '' },
    save: async (values) => {
      const { identity_check: check } = values;
      await patientSignIn.help.mutate({ patient_id: patient.id, identity_check: check, [method]: values[method] });
      toast.success(method === 'email' ? 'New password emailed' : 'They can sign in with this number');
      onClose();
      await Promise.all([
        queries.invalidateQueries(trpc.patientSignIn.pathFilter()),
        queries.invalidateQueries(trpc.patients.pathFilter()),
      ]);
    },
  });
  return (
    <DialogForm form={form} submitLabel="Help with signing in">
      <FormField
        name="identity_check"
        label="How did you make sure who it is?"
        hint="For example: passport shown at the front desk, or called back on a number from the record. Kept with your name."
      >
        {(field) => <LongText {...field} value={field.value} limit={MAX_IDENTITY_CHECK_LENGTH} />}
      </FormField>
      <RadioGroup.Root
        aria-label="From now on they sign in"
        className="grid gap-2"
        value={method}
        onValueChange={(value) => setMethod(value as Method)}
      >
        <ChoiceCard value="phone_number" title="By text message" hint="A code to this number, each time." />
        <ChoiceCard
          value="email"
          title="By email and password"
          hint="They get a temporary password by email. It works for 7 days."
        />
      </RadioGroup.Root>
      {method === 'email' ? (
        <FormField key="email" name="email" label="Email address">
          {(field) => <Input {...field} type="email" autoComplete="off" />}
        </FormField>
      ) : (
        <FormField key="phone_number" name="phone_number" label="Phone number" hint="A US number.">
          {({ value, onChange, ...field }) => <PhoneInput {...field} value={value} onValueChange={onChange} />}
        </FormField>
      )}
    </DialogForm>
  );
}

type ChangeEmailDialogProps = { patient: PatientView; onClose: () => void };

/** Starts an email change for a patient who signs in; the patient confirms it. */
export function ChangeEmailDialog(props: ChangeEmailDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title={`Change the email address of ${nameOfPatient(props.patient)}`}
      description="We email a link to the new address. Nothing changes before the patient opens it; then the old address gets an email, and can undo it for 72 hours. The patient stays signed in."
    >
      <ChangeEmailForm {...props} />
    </Dialog>
  );
}

const ChangeEmailValues = RequestEmailChangeInput.omit({ patient_id: true });

function ChangeEmailForm({ patient, onClose }: ChangeEmailDialogProps) {
  const { patientSignIn } = useTRPCClient();
  const refresh = useInvalidate('patientSignIn');
  const form = useApiForm({
    schema: ChangeEmailValues,
    defaultValues: { identity_check: '', email: '' },
    save: async (values) => {
      await patientSignIn.askEmailChange.mutate({ patient_id: patient.id, ...values });
      toast.success('Link emailed to the new address');
      onClose();
      await refresh();
    },
  });
  return (
    <DialogForm form={form} submitLabel="Email the link">
      <FormField name="email" label="New email address">
        {(field) => <Input {...field} type="email" autoComplete="off" />}
      </FormField>
      <FormField
        name="identity_check"
        label="How did you make sure who it is?"
        hint="For example: passport shown at the front desk, or called back on a number from the record. Kept with your name."
      >
        {(field) => <LongText {...field} value={field.value} limit={MAX_IDENTITY_CHECK_LENGTH} />}
      </FormField>
    </DialogForm>
  );
}

type EndSessionsProps = { patient: PatientView; session: PatientSessionView | 'all'; onClose: () => void };

/** Confirms before a patient is signed out of one device, or of all. */
export function EndSessions({ patient, session, onClose }: EndSessionsProps) {
  const { patientSignIn } = useTRPCClient();
  const refresh = useInvalidate('patientSignIn');
  const name = nameOfPatient(patient);
  return (
    <ConfirmDialog
      title={session === 'all' ? `Sign ${name} out everywhere?` : `Sign ${name} out of ${deviceLabel(session)}?`}
      description="Their app is signed out there within a second. They can sign in again."
      confirmLabel={session === 'all' ? 'Sign out everywhere' : 'Sign out'}
      keepLabel="Keep signed in"
      act={() =>
        session === 'all'
          ? patientSignIn.endSessions.mutate({ patient_id: patient.id })
          : patientSignIn.endSession.mutate({ patient_id: patient.id, session_id: session.id })
      }
      done="Signed out"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
