'use client';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Form, FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';

export function AddOrigin({ listed }: { listed: string[] }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('applications');
  const form = useApiForm({
    schema: async () => (await import('./credentials-values.ts')).originValues(listed),
    defaultValues: { origin: '' },
    save: async ({ origin }) => {
      try {
        await client.applications.setAllowedOrigins.mutate({ origins: [...listed, origin] });
        toast.success(`${origin} may call the API`);
        await refresh();
        form.setFocus('origin');
        form.reset();
      } catch (error) {
        // The server reports a position in the whole list; the form has a single origin.
        form.setError('origin', { message: firstErrorMessage(error) }, { shouldFocus: true });
      }
    },
  });
  return (
    <Form form={form}>
      <FormField
        name="origin"
        label="Website"
        hint="Only the beginning of its address, without a page: https://app.example.org"
      >
        {(field) => (
          <div className="flex gap-2">
            <Input {...field} type="url" inputMode="url" autoComplete="off" spellCheck={false} placeholder="https://" />
            <Button type="submit" pending={form.formState.isSubmitting}>
              Add
            </Button>
          </div>
        )}
      </FormField>
    </Form>
  );
}
