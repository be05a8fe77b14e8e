'use client';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';

export function PasswordCard({ email }: { email: string }) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: async () => (await import('./account-values.ts')).PasswordValues,
    defaultValues: { current_password: '', new_password: '' },
    save: async (values) => {
      await client.account.changePassword.mutate(values);
      form.reset();
      toast.success('Password changed', { description: 'Your other devices are signed out.' });
    },
  });
  return (
    <Card aria-label="Password">
      <CardHeader title="Password" description="A new one signs your other devices out." />
      <CardBody>
        <Form form={form} className="grid gap-4">
          <FormRootError />
          <input type="hidden" autoComplete="username" value={email} readOnly />
          <FormField name="current_password" label="Current password">
            {(field) => <Input {...field} type="password" autoComplete="current-password" />}
          </FormField>
          <FormField name="new_password" label="New password" hint="12 characters or more; a few words are fine.">
            {(field) => <Input {...field} type="password" autoComplete="new-password" />}
          </FormField>
          <div>
            <Button type="submit" pending={form.formState.isSubmitting}>
              Change password
            </Button>
          </div>
        </Form>
      </CardBody>
    </Card>
  );
}
