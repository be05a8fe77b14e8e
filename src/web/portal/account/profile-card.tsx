'use client';
import { useRouter } from 'next/navigation';
import type { AccountView } from '#contract/team.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_NAMES } from '../shell/role-names.ts';
import { useRefreshAccount } from './use-refresh-account.ts';

export function ProfileCard({ account }: { account: AccountView }) {
  const client = useTRPCClient();
  const router = useRouter();
  const refresh = useRefreshAccount();
  const form = useApiForm({
    schema: async () => (await import('#contract/team.ts')).RenameInput,
    defaultValues: { name: account.name },
    save: async (values) => {
      await client.account.rename.mutate(values);
      toast.success('Name saved');
      router.refresh();
      await refresh();
    },
  });
  return (
    <Card aria-label="Profile">
      <CardHeader title="Profile" description={`${account.email} · ${ROLE_NAMES[account.role]}`} />
      <CardBody>
        <Form form={form} className="grid gap-4">
          <FormRootError />
          <FormField name="name" label="Name" hint="As your colleagues see it.">
            {(field) => <Input {...field} autoComplete="name" />}
          </FormField>
          <div>
            <Button type="submit" pending={form.formState.isSubmitting}>
              Save name
            </Button>
          </div>
        </Form>
      </CardBody>
    </Card>
  );
}
