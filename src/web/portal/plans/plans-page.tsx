'use client';
import { useQuery } from '@tanstack/react-query';
import { ReceiptText } from 'lucide-react';
import type { PlanView } from '#contract/subscriptions.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { SearchInput } from '#web/ui/search-input.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { describePrice } from './plan-terms.ts';

const COLUMNS: Column<PlanView>[] = [
  {
    header: 'Plan',
    phone: 'title',
    cell: (plan) => (
      <span className="grid">
        <span className="font-medium">{[plan.name, plan.nickname].filter(Boolean).join(' · ')}</span>
        {plan.description && <span className="max-w-md text-[13px] text-muted wrap-anywhere">{plan.description}</span>}
      </span>
    ),
  },
  { header: 'Price', cell: (plan) => <span className="whitespace-nowrap tabular-nums">{describePrice(plan)}</span> },
  {
    header: 'Free trial',
    cell: ({ trial_period_in_days: days }) =>
      days ? pluralize(days, 'day') : <span className="text-muted">None</span>,
  },
  {
    header: 'Offered',
    phone: 'corner',
    cell: ({ active }) => (
      <Badge tone={active ? 'good' : 'neutral'} dot>
        {active ? 'Offered' : 'Retired'}
      </Badge>
    ),
  },
  {
    header: 'Price id',
    align: 'end',
    cell: (plan) => (
      <CopyButton size="sm" variant="ghost" value={plan.price_id} label="Copy id" className="max-md:-mr-2.5" />
    ),
  },
];

export function PlansPage() {
  const trpc = useTRPC();
  const mayConnect = useMay('settings:manage');
  const maySubscribe = useMay('subscriptions:write');
  const [search, setSearch] = useQueryParam('search');
  const plans = useQuery(trpc.plans.list.queryOptions({ size: 1000 }));
  // Not an error but a first step: a new clinic has no connected account for plans yet.
  const isBefore = plans.error !== null && readApiErrors(plans.error)[0].code === 'integration_not_connected';
  const query = search.toLowerCase();
  const rows = plans.data?.items.filter((plan) =>
    `${plan.name} ${plan.nickname ?? ''} ${plan.id}`.toLowerCase().includes(query),
  );
  return (
    <>
      <PageHeader
        title="Plans"
        description="What patients can subscribe to. Prices are kept at your payment provider."
      />
      <DataTable
        label="Plans"
        columns={COLUMNS}
        rows={isBefore ? [] : rows}
        rowId={(plan) => plan.id}
        error={isBefore ? null : plans.error}
        onRetry={() => void plans.refetch()}
        toolbar={<SearchInput label="Search plans" value={search} onSearch={setSearch} className="w-full md:w-72" />}
        empty={
          isBefore ? (
            <EmptyState
              icon={ReceiptText}
              title="Connect payments first"
              description="Plans are kept at your payment provider. Once it is connected, they show here."
              action={
                mayConnect ? (
                  <Button asChild variant="primary">
                    <Link href="/settings/integrations">Connect payments</Link>
                  </Button>
                ) : (
                  maySubscribe && 'Ask an administrator of your clinic.'
                )
              }
            />
          ) : search ? (
            <EmptyState icon={ReceiptText} title="No plan matches" description="Try fewer letters." />
          ) : (
            <EmptyState
              icon={ReceiptText}
              title="No plans yet"
              description={
                mayConnect
                  ? 'Create a product with a price at your payment provider; it shows here at once.'
                  : 'A product with a price at your payment provider shows here at once.'
              }
              action={
                mayConnect && (
                  <Button asChild>
                    <Link href="/settings/integrations">Open integrations</Link>
                  </Button>
                )
              }
            />
          )
        }
      />
    </>
  );
}
