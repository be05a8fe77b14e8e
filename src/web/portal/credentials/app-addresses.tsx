'use client';
import { useQuery } from '@tanstack/react-query';
import type { AppAddressesView } from '#contract/origins.ts';
import { isOnWebsite } from '#contract/websites.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';

const FIELDS = [
  {
    name: 'invitation',
    label: 'Invitations',
    hint: 'Where an invited patient chooses a password, or signs in by text message. Empty: our own page.',
  },
  {
    name: 'reset',
    label: 'Forgotten passwords',
    hint: 'Where the code from the email is entered. Empty: the code alone.',
  },
  {
    name: 'confirmation',
    label: 'New accounts',
    hint: 'Where the code from the email is entered. Empty: the code alone.',
  },
] as const;

const toValues = ({ invitation, reset, confirmation }: AppAddressesView) => ({
  invitation: invitation ?? '',
  reset: reset ?? '',
  confirmation: confirmation ?? '',
});

/** Pages of the clinic's own app that emails and text messages to patients link to. */
export function AppAddresses() {
  const trpc = useTRPC();
  const addresses = useQuery(trpc.applications.appAddresses.queryOptions({}));
  const origins = useQuery(trpc.applications.allowedOrigins.queryOptions({}));
  return (
    <Card aria-label="Pages of your app">
      <CardHeader
        title="Pages of your app"
        description="Where messages to patients lead. Each page lies on one of the allowed origins."
      />
      {addresses.error ? (
        <ErrorState error={addresses.error} onRetry={() => void addresses.refetch()} />
      ) : (
        <CardBody>
          {addresses.data ? (
            <AddressesForm saved={addresses.data} origins={origins.data ?? null} />
          ) : (
            <Skeleton className="h-40" />
          )}
        </CardBody>
      )}
    </Card>
  );
}

function AddressesForm({ saved, origins }: { saved: AppAddressesView; origins: string[] | null }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('applications');
  const { environment } = useMe();
  const form = useApiForm({
    schema: async () => (await import('./credentials-values.ts')).AppAddressesValues,
    defaultValues: toValues(saved),
    save: async (values) => {
      form.reset(toValues(await client.applications.setAppAddresses.mutate(values)));
      toast.success('Pages saved');
      await refresh();
    },
  });
  const isIdle = (address: string | null) =>
    address !== null && origins !== null && !isOnWebsite(address, origins, environment);
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      {FIELDS.map(({ name, label, hint }) => (
        <FormField key={name} name={name} label={label} hint={isIdle(saved[name]) ? <NotUsed /> : hint}>
          {(field) => (
            <Input {...field} type="url" inputMode="url" autoComplete="off" spellCheck={false} placeholder="https://" />
          )}
        </FormField>
      ))}
      <div>
        <Button type="submit" pending={form.formState.isSubmitting}>
          Save pages
        </Button>
      </div>
    </Form>
  );
}

const NotUsed = () => (
  <span className="text-warn-ink">
    Not used now: its website is not among the allowed origins. Messages lead to our own page, or have no link.
  </span>
);
