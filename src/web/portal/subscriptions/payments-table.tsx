'use client';
import { FileText, ListPlus, Receipt, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { declineReason } from '#contract/decline-reason.ts';
import type { PaymentView } from '#contract/payments.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { type ActionEntry, ActionMenu } from '../shell/action-menu.tsx';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';
import { paymentTask } from '../tasks/task-values.ts';
import { usePages } from '../use-pages.ts';
import { billLabel, paymentStateLabel, refundableAmount } from './payment-labels.ts';
import { REPLACED } from './subscription.ts';
import { useSubscriptions } from './subscriptions-table.tsx';

const RefundDialog = lazyComponent(() => import('./refund-dialog.tsx').then((module) => module.RefundDialog));

type PaymentsTableProps = { label: string; filter: { patient_id: string } | { subscription_id: string } };

/** Bills, the latest first. */
export function usePayments(filter: PaymentsTableProps['filter']) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  return usePages<PaymentView>({
    queryKey: trpc.payments.list.queryKey(filter),
    read: (from, signal) => client.payments.list.query({ ...filter, size: 10, ...from }, { signal }),
  });
}

/** Bills, the latest first: state, invoice, receipt, and a way to refund them. */
export function PaymentsTable({ label, filter }: PaymentsTableProps) {
  const [refunding, setRefunding] = useState<PaymentView | null>(null);
  const { more, ...list } = usePayments(filter);
  // The page of a subscription says it once.
  const { rows: subscriptions } = useSubscriptions('patient_id' in filter ? filter : null);
  const replaced = new Set(subscriptions?.filter(({ replaced_by }) => replaced_by !== null).map(({ id }) => id));
  return (
    <>
      <DataTable<PaymentView>
        {...list}
        label={label}
        columns={columnsFor(setRefunding, replaced)}
        rowId={({ id }) => id}
        more={{ ...more, noun: 'payment' }}
        empty={
          <EmptyState icon={Receipt} title="Nothing billed yet" description="Every bill is listed here, paid or not." />
        }
      />
      {refunding && <RefundDialog payment={refunding} onClose={() => setRefunding(null)} />}
    </>
  );
}

/** @param replaced ids of subscriptions that ended because a code was used */
const columnsFor = (onRefund: (payment: PaymentView) => void, replaced: ReadonlySet<string>): Column<PaymentView>[] => [
  {
    header: 'Billed',
    phone: 'title',
    cell: (payment) => (
      <span className="grid">
        <span className="font-medium">{billLabel(payment)}</span>
        <span className="text-[13px] text-muted">
          <DateTime value={payment.created_at} shape="date" />
        </span>
        <PaymentFailure payment={payment} />
      </span>
    ),
  },
  {
    header: 'Amount',
    cell: ({ total, amount_refunded, currency }) => (
      <span className="grid tabular-nums max-md:justify-items-end">
        <span>{formatMoney(total, currency)}</span>
        {amount_refunded > 0 && (
          <span className="text-[13px] text-muted">{formatMoney(amount_refunded, currency)} refunded</span>
        )}
      </span>
    ),
  },
  {
    header: 'Status',
    cell: (payment) => {
      const [label, tone] = paymentStateLabel(payment);
      return (
        <span className="inline-grid justify-items-start gap-0.5 max-md:justify-items-end">
          <Badge tone={tone} dot>
            {label}
          </Badge>
          {replaced.has(payment.subscription_id) && <span className="text-[13px] text-muted">{REPLACED}</span>}
        </span>
      );
    },
  },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (payment) => <PaymentActions payment={payment} onRefund={onRefund} />,
  },
];

/** Why a bill was not paid, and when the next attempt is. */
function PaymentFailure({ payment: { status, failure, next_attempt_at } }: { payment: PaymentView }) {
  if (status !== 'open' || !failure) return null;
  return (
    <span className="text-[13px] text-muted">
      Because {declineReason(failure.code)}.
      {next_attempt_at && (
        <>
          {' '}
          Tried again on <DateTime value={next_attempt_at} shape="date" />.
        </>
      )}
    </span>
  );
}

const view = (url: string | null, label: string): ActionEntry[] =>
  url
    ? [
        {
          kind: 'action',
          label,
          icon: FileText,
          onSelect: () => window.open(url, '_blank', 'noopener,noreferrer'),
        },
      ]
    : [];

function PaymentActions({ payment, onRefund }: { payment: PaymentView; onRefund: (payment: PaymentView) => void }) {
  const mayRefund = useMay('payments:refund');
  const [isMakingTask, setMakingTask] = useState(false);
  const task = paymentTask(payment);
  const entries: ActionEntry[] = [
    ...view(payment.receipt_url, 'Receipt'),
    ...view(payment.invoice_url, 'Invoice'),
    ...view(payment.pdf_url, 'Invoice as a PDF'),
    ...(refundableAmount(payment) > 0
      ? [
          {
            ...{ kind: 'action' as const, needs: 'payments:refund' as const },
            ...{ label: 'Refund', icon: Undo2, onSelect: () => onRefund(payment) },
          },
        ]
      : []),
    ...(task
      ? [
          {
            ...{ kind: 'action' as const, needs: 'tasks:write' as const },
            ...{ label: 'Make a task', icon: ListPlus, onSelect: () => setMakingTask(true) },
          },
        ]
      : []),
  ];
  return (
    <>
      <ActionMenu
        label={`${billLabel(payment)}: ${mayRefund ? 'invoices and refunds' : 'invoices'}`}
        trigger={
          <Button variant="ghost" size="sm">
            <Receipt aria-hidden />
            <span className="max-md:sr-only">Invoice</span>
          </Button>
        }
        entries={entries}
      />
      {task && isMakingTask && <NewTaskDialog start={task} onClose={() => setMakingTask(false)} />}
    </>
  );
}
