'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { SCOPES, type Scope } from '#contract/scopes.ts';
import type { ApplicationView, NewSecretView } from '#contract/settings.ts';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { SCOPE_NAMES } from '../../ui/scope-names.ts';
import { NewSecret } from './rotate-secret-dialog.tsx';

/** Creates an application and shows its secret once. */
export function CreateApplication({ onClose }: { onClose: () => void }) {
  const client = useTRPCClient();
  const [created, setCreated] = useState<NewSecretView | null>(null);
  return (
    <Dialog
      open
      isHeld={created !== null}
      onOpenChange={onClose}
      title={created ? `${created.application.name} is ready` : 'Create application'}
    >
      {created ? (
        <NewSecret created={created} onDone={onClose} />
      ) : (
        <ApplicationForm
          submitLabel="Create application"
          save={async (values) => setCreated(await client.applications.create.mutate(values))}
        />
      )}
    </Dialog>
  );
}

/** Changes an application's name and scopes. */
export function EditApplication({ application, onClose }: { application: ApplicationView; onClose: () => void }) {
  const client = useTRPCClient();
  const { id, name, scopes } = application;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Change ${name}`}
      description="A right that you take away is gone within a second. One that you add comes with the application’s next token, within an hour."
    >
      <ApplicationForm
        initial={{ name, scopes }}
        submitLabel="Save changes"
        save={async (values) => {
          await client.applications.update.mutate({ id, ...values });
          toast.success('Application changed');
          onClose();
        }}
      />
    </Dialog>
  );
}

const ApplicationValues = z.object({
  name: z.string().trim().min(1, 'Give it a name that says which server it is.').max(100),
  scopes: z.array(z.enum(SCOPES)).min(1, 'Choose at least one right.'),
});
type ApplicationValues = z.infer<typeof ApplicationValues>;

type ApplicationFormProps = {
  initial?: ApplicationValues;
  submitLabel: string;
  save: (values: ApplicationValues) => Promise<void>;
};

/** No scope is preselected: an admin decides what an application may do. */
function ApplicationForm({ initial = { name: '', scopes: [] }, submitLabel, save }: ApplicationFormProps) {
  const refresh = useInvalidate('applications');
  const trpc = useTRPC();
  const otherApplications =
    useQuery(trpc.applications.list.queryOptions({})).data?.filter(
      ({ name, revoked_at }) => !revoked_at && name !== initial.name,
    ) ?? [];
  const form = useApiForm({
    // Equal names would be confused when one of the applications is to be revoked.
    schema: ApplicationValues.refine(
      ({ name }) => !otherApplications.some((other) => other.name.toLowerCase() === name.toLowerCase()),
      { path: ['name'], error: 'Another application has this name. Choose one that tells them apart.' },
    ),
    defaultValues: initial,
    save: async (values) => {
      await save(values);
      await refresh();
    },
  });
  return (
    <DialogForm form={form} submitLabel={submitLabel}>
      <FormField name="name" label="Name" hint="For example the server that will use it.">
        {(field) => <Input {...field} autoComplete="off" />}
      </FormField>
      <FormField name="scopes" label="What it may do">
        {({ value, onChange }) => <ScopeChoice value={value || []} onChange={onChange} />}
      </FormField>
    </DialogForm>
  );
}

function ScopeChoice({ value, onChange }: { value: Scope[]; onChange: (scopes: Scope[]) => void }) {
  return (
    <div className="grid gap-2 rounded-md border border-line p-3 md:grid-cols-2">
      {SCOPES.map((scope) => (
        <Checkbox
          key={scope}
          label={SCOPE_NAMES[scope]}
          checked={value.includes(scope)}
          onCheckedChange={(on) =>
            onChange(SCOPES.filter((candidate) => (candidate === scope ? on === true : value.includes(candidate))))
          }
        />
      ))}
    </div>
  );
}
