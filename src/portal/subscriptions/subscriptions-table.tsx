'use client';
import { CreditCard } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import type { ListSubscriptionsInput } from '#contract/subscriptions.ts';
import { DataTable } from '#portal/ui/data-table.tsx';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { usePatientNames } from '../patients/use-patient-names.ts';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';
import { usePages } from '../use-pages.ts';
import type { SubscriptionRow } from './subscription-columns.tsx';

type SubscriptionsTableProps = {
  label: string;
  columns: ComponentProps<typeof DataTable<SubscriptionRow>>['columns'];
  filter: Partial<Pick<ListSubscriptionsInput, 'patient_id' | 'status'>>;
  toolbar?: ReactNode;
  empty: { title: string; description: string; action?: ReactNode };
};

export function SubscriptionsTable({ filter, empty, ...table }: SubscriptionsTableProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { rows, more, ...list } = usePages({
    queryKey: trpc.subscriptions.list.queryKey(filter),
    read: (from, signal) => client.subscriptions.list.query({ ...filter, ...from }, { signal }),
  });
  const nameOf = usePatientNames(filter.patient_id ? [] : rows?.map((subscription) => subscription.patient_id));
  return (
    <DataTable<SubscriptionRow>
      {...table}
      {...list}
      rows={(nameOf ? rows : undefined)?.map((subscription) => ({
        ...subscription,
        patientName: nameOf?.(subscription.patient_id),
      }))}
      rowId={(subscription) => subscription.id}
      more={{ ...more, noun: 'subscription' }}
      empty={<EmptyState icon={CreditCard} {...empty} />}
    />
  );
}
