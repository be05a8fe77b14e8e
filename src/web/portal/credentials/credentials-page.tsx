'use client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { AddButton } from '#web/ui/add-button.tsx';
import { Card } from '#web/ui/card.tsx';
import { DataTableSkeleton } from '#web/ui/data-table-skeleton.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { SearchInput } from '#web/ui/search-input.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { AllowedOrigins } from './allowed-origins.tsx';
import { type Addresses, AddressesContext } from './api-addresses.tsx';
import { AppAddresses } from './app-addresses.tsx';
import { ApplicationCard } from './application-card.tsx';
import { ConfigurationTokens } from './configuration-tokens.tsx';
import { InvitationsCard } from './invitations-card.tsx';

const CreateApplication = dynamic(() => import('./application-dialog.tsx').then((module) => module.CreateApplication), {
  ssr: false,
});

export function CredentialsPage({ addresses }: { addresses: Addresses }) {
  const trpc = useTRPC();
  const [search, setSearch] = useQueryParam('search');
  const [creating, setCreating] = useState(false);
  const applications = useQuery(trpc.applications.list.queryOptions({}));
  // The page renders when one batched request has loaded everything, which prevents layout shifts.
  const others = useQueries({
    queries: [
      trpc.applications.configurationTokens.queryOptions({}),
      trpc.applications.allowedOrigins.queryOptions({}),
      trpc.applications.appAddresses.queryOptions({}),
    ],
  });
  const isComing = [applications, ...others].some(({ isPending }) => isPending);
  const words = search.toLowerCase();
  const shown = applications.data?.filter(({ name, client_id }) =>
    `${name} ${client_id}`.toLowerCase().includes(words),
  );
  const create = <AddButton onClick={() => setCreating(true)}>Create application</AddButton>;
  return (
    <AddressesContext value={addresses}>
      <PageHeader
        title="API credentials"
        description={
          <>
            How your own software signs in to Carelane.{' '}
            <a href="/docs" className="text-accent-ink underline underline-offset-3">
              How to build on it
            </a>
          </>
        }
        actions={create}
      />
      {isComing ? (
        <Card className="overflow-hidden">
          <DataTableSkeleton columns={3} />
        </Card>
      ) : (
        <div className="grid gap-8">
          <section aria-labelledby="applications" className="grid gap-3">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <h2 id="applications" className="font-semibold">
                Server applications
              </h2>
              <SearchInput label="Search applications" value={search} onSearch={setSearch} className="w-full md:w-64" />
            </div>
            {shown && shown.length > 0 ? (
              shown.map((application) => <ApplicationCard key={application.id} application={application} />)
            ) : (
              <Card className="overflow-hidden">
                {applications.error ? (
                  <ErrorState error={applications.error} onRetry={() => void applications.refetch()} />
                ) : search ? (
                  <EmptyState icon={KeyRound} title="No application matches" description="Try fewer letters." />
                ) : (
                  <EmptyState
                    icon={KeyRound}
                    title="No applications yet"
                    description="Create one for each server that calls the API. Each has rights and secrets of its own."
                    action={create}
                  />
                )}
              </Card>
            )}
          </section>
          <ConfigurationTokens />
          <AllowedOrigins />
          <AppAddresses />
          <InvitationsCard />
        </div>
      )}
      {creating && <CreateApplication onClose={() => setCreating(false)} />}
    </AddressesContext>
  );
}
