'use client';
import { CreditCard } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import type { ListSubscriptionsInput } from '#contract/subscriptions.ts';
import { DataTable } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { usePermitted } from '../me.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { usePages } from '../use-pages.ts';
import type { SubscriptionColumn, SubscriptionRow } from './subscription-columns.tsx';

export type SubscriptionsFilter = Partial<
  Pick<ListSubscriptionsInput, 'patient_id' | 'status' | 'price_id' | 'needs_attention'>
>;

type SubscriptionsTableProps = {
  label: string;
  /** Shown as far as their permissions are held. */
  columns: SubscriptionColumn[];
  filter: SubscriptionsFilter;
  toolbar?: ReactNode;
  empty: { title: string; description?: string; action?: ReactNode };
  /** Called with the rows that are shown and the names of their patients. */
  onRows?: (rows: SubscriptionRow[]) => void;
};

/** Subscriptions, the newest first. Components with the same filter share one query. Null: nothing is loaded. */
export function useSubscriptions(filter: SubscriptionsFilter | null) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  return usePages({
    queryKey: trpc.subscriptions.list.queryKey(filter ?? {}),
    read: (from, signal) => client.subscriptions.list.query({ ...filter, ...from }, { signal }),
    enabled: filter !== null,
  });
}

export function SubscriptionsTable({ filter, empty, onRows, columns, ...table }: SubscriptionsTableProps) {
  const permitted = usePermitted();
  const { rows, more, ...list } = useSubscriptions(filter);
  const labelOf = usePatientLabels(filter.patient_id ? [] : rows?.map((subscription) => subscription.patient_id));
  const shown = (labelOf ? rows : undefined)?.map((subscription) => ({
    ...subscription,
    patient: labelOf?.(subscription.patient_id),
  }));
  const shownKey = shown?.map(({ id, next_action, patient }) => `${id} ${next_action} ${patient?.name}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: called again when the shown rows change
  useEffect(() => shown && onRows?.(shown), [shownKey]);
  return (
    <DataTable<SubscriptionRow>
      {...table}
      {...list}
      columns={permitted(columns)}
      rows={shown}
      rowId={(subscription) => subscription.id}
      more={{ ...more, noun: 'subscription' }}
      empty={<EmptyState icon={CreditCard} {...empty} />}
    />
  );
}
