'use client';
import { useState } from 'react';
import { z } from 'zod';
import { SCOPES, type Scope } from '#contract/scopes.ts';
import type { NewSecretView } from '#contract/settings.ts';
import { Checkbox } from '#portal/ui/checkbox.tsx';
import { Dialog } from '#portal/ui/dialog.tsx';
import { DialogForm } from '#portal/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#portal/ui/form.tsx';
import { Input } from '#portal/ui/input.tsx';
import { useTRPCClient } from '../trpc-client.tsx';
import { NewSecret } from './new-secret.tsx';
import { SCOPE_NAMES } from './scope-names.ts';
import { useRefreshApplications } from './use-refresh-applications.ts';

type ApplicationDialogProps = { open: boolean; onOpenChange: (open: boolean) => void };

export function ApplicationDialog({ open, onOpenChange }: ApplicationDialogProps) {
  const [created, setCreated] = useState<NewSecretView | null>(null);
  const close = () => {
    onOpenChange(false);
    setCreated(null);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={created ? `${created.application.name} is ready` : 'Create application'}
    >
      {created ? (
        <NewSecret answer={created} onDone={close} />
      ) : (
        <ApplicationForm onCreated={setCreated} close={close} />
      )}
    </Dialog>
  );
}

const ApplicationValues = z.object({
  name: z.string().trim().min(1, 'Give it a name that says which server it is.').max(100),
  scopes: z.array(z.enum(SCOPES)).min(1, 'Choose at least one right.'),
});
const USUAL: Scope[] = SCOPES.filter((scope) => scope !== 'admin');

function ApplicationForm({ onCreated, close }: { onCreated: (answer: NewSecretView) => void; close: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshApplications();
  const form = useApiForm({
    schema: ApplicationValues,
    defaultValues: { name: '', scopes: USUAL },
    save: async (values) => {
      onCreated(await client.applications.create.mutate(values));
      await refresh();
    },
  });
  return (
    <DialogForm form={form} submitLabel="Create application" onClose={close}>
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
          onCheckedChange={(on) => onChange(on ? [...value, scope] : value.filter((other) => other !== scope))}
        />
      ))}
    </div>
  );
}
