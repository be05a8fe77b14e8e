'use client';
import { useQuery } from '@tanstack/react-query';
import { Card } from '#web/ui/card.tsx';
import { DataTableSkeleton } from '#web/ui/data-table-skeleton.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { BillingSettings } from './billing-settings.tsx';
import { IntegrationCard } from './integration-card.tsx';
import { UnknownSubscriptions } from './unknown-subscriptions.tsx';
import { VideoVisits } from './video-visits.tsx';

export function IntegrationsPage() {
  const trpc = useTRPC();
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const stripe = integrations.data?.find(({ provider }) => provider === 'stripe');
  const unknown = stripe?.sync?.unknown ?? [];
  return (
    <>
      <PageHeader title="Integrations" description="The services that Carelane works with for your clinic" />
      {integrations.data ? (
        <div className="grid gap-5">
          <div className="grid items-start gap-5 lg:grid-cols-2">
            {integrations.data.map((integration) => (
              <IntegrationCard key={integration.provider} integration={integration} />
            ))}
          </div>
          {unknown.length > 0 && <UnknownSubscriptions unknown={unknown} />}
          {stripe?.settings && <BillingSettings settings={stripe.settings} />}
          <VideoVisits />
        </div>
      ) : (
        <Card className="overflow-hidden">
          {integrations.error ? (
            <ErrorState error={integrations.error} onRetry={() => void integrations.refetch()} />
          ) : (
            <DataTableSkeleton columns={2} />
          )}
        </Card>
      )}
    </>
  );
}
