'use client';
import { useQueryClient } from '@tanstack/react-query';
import { AcuityCredentials } from '#contract/integrations.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';

export function ConnectAcuityDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Connect Acuity Scheduling"
      description="You find both in Acuity under Integrations, API, View credentials. They are kept encrypted and never shown again."
    >
      <ConnectForm close={onClose} />
    </Dialog>
  );
}

function ConnectForm({ close }: { close: () => void }) {
  const client = useTRPCClient();
  const queries = useQueryClient();
  const form = useApiForm({
    schema: AcuityCredentials,
    defaultValues: { user_id: '', api_key: '' },
    save: async (values) => {
      await client.integrations.connectAcuity.mutate(values);
      // The account has other appointment types, calendars and slots: every loaded query is stale.
      await queries.invalidateQueries();
      toast.success('Acuity Scheduling is connected');
      close();
    },
  });
  return (
    <DialogForm form={form} submitLabel="Connect">
      <FormField name="user_id" label="User ID" hint="Also called Credentials. A number.">
        {(field) => <Input {...field} inputMode="numeric" autoComplete="off" />}
      </FormField>
      <FormField name="api_key" label="API key" hint="Also called Credentials Secret.">
        {(field) => <Input {...field} type="password" autoComplete="off" />}
      </FormField>
    </DialogForm>
  );
}
