import { Ban, History, Link2, ListPlus, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { ENDED_STATUSES } from '#contract/subscription-status.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import type { Column } from '#web/ui/data-table.tsx';
import { RowLink } from '#web/ui/data-table-row.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useMay } from '../me.tsx';
import { useNow } from '../now.tsx';
import type { PatientLabel } from '../patients/patient.ts';
import { PatientCell } from '../patients/patient-labels.tsx';
import type { Needing } from '../permitted.ts';
import { describeInterval } from '../plans/plan-terms.ts';
import { type ActionEntry, RowMenu } from '../shell/action-menu.tsx';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';
import { subscriptionTask } from '../tasks/task-values.ts';
import { attentionLabel, REPLACED, shownStatus } from './subscription.ts';

const CheckoutLinkDialog = lazyComponent(() =>
  import('./checkout-link.tsx').then((module) => module.CheckoutLinkDialog),
);

const ManageLinkDialog = lazyComponent(() =>
  import('../manage-link/manage-link.tsx').then((module) => module.ManageLinkDialog),
);

const CancelSubscription = lazyComponent(() =>
  import('./cancel-subscription.tsx').then((module) => module.CancelSubscription),
);

const TimelineSheet = lazyComponent(() =>
  import('../timeline/timeline-sheet.tsx').then((module) => module.TimelineSheet),
);

function SubscriptionActions({ subscription }: { subscription: SubscriptionRow }) {
  const [open, setOpen] = useState<'cancel' | 'link' | 'manage' | 'task' | 'timeline' | null>(null);
  const hasEnded = ENDED_STATUSES.includes(subscription.status);
  const maySend = useMay('subscriptions:write');
  const payable = !hasEnded && subscription.next_action !== 'none';
  const link: ActionEntry = {
    ...{ kind: 'action', needs: 'subscriptions:write' },
    ...{ label: 'Payment link', icon: Link2, onSelect: () => setOpen('link') },
  };
  const manage: ActionEntry = {
    ...{ kind: 'action', needs: 'subscriptions:cancel' },
    ...{ label: 'Link to manage', icon: SlidersHorizontal, onSelect: () => setOpen('manage') },
  };
  const start = subscriptionTask(subscription);
  const task: ActionEntry = {
    ...{ kind: 'action', needs: 'tasks:write' },
    ...{ label: 'Make a task', icon: ListPlus, onSelect: () => setOpen('task') },
  };
  const timeline: ActionEntry = {
    kind: 'action',
    ...{ label: 'What happened', icon: History, onSelect: () => setOpen('timeline') },
  };
  const cancel: ActionEntry = {
    ...{ kind: 'action', needs: 'subscriptions:cancel', danger: true },
    ...{ label: 'Cancel subscription', icon: Ban, onSelect: () => setOpen('cancel') },
  };
  return (
    <span className="relative inline-flex items-center gap-1">
      {payable && maySend && (
        <Button size="sm" onClick={() => setOpen('link')} className="max-xl:hidden">
          <Link2 aria-hidden />
          Payment link
        </Button>
      )}
      <RowMenu
        of={[subscription.patient?.name, subscription.name ?? 'subscription'].filter(Boolean).join(', ')}
        entries={[
          ...(payable ? [link] : []),
          ...(hasEnded ? [] : [manage]),
          ...(start ? [task] : []),
          timeline,
          ...(hasEnded ? [] : [cancel]),
        ]}
      />
      {open === 'cancel' && <CancelSubscription subscription={subscription} onClose={() => setOpen(null)} />}
      {open === 'timeline' && (
        <TimelineSheet
          filter={{ patient_id: subscription.patient_id, object_id: subscription.id, of: 'subscriptions' }}
          title={`What happened: ${subscription.name ?? 'subscription'}`}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'task' && start && <NewTaskDialog start={start} onClose={() => setOpen(null)} />}
      {open === 'manage' && <ManageLinkDialog subscription={subscription} onClose={() => setOpen(null)} />}
      {open === 'link' && <CheckoutLinkDialog subscription={subscription} onClose={() => setOpen(null)} />}
    </span>
  );
}

/** A subscription with its patient, once that is loaded. */
export type SubscriptionRow = SubscriptionView & { patient?: PatientLabel | undefined };

export type SubscriptionColumn = Column<SubscriptionRow> & Needing;

const patient: SubscriptionColumn = {
  header: 'Patient',
  phone: 'title',
  cell: (subscription) => <PatientCell href={`/subscriptions/${subscription.id}`} patient={subscription.patient} />,
};

const plan = (phone?: 'title'): SubscriptionColumn => ({
  header: 'Plan',
  ...(phone && { phone }),
  cell: (subscription) => (
    <span className={phone ? 'grid' : 'grid max-md:justify-items-end'}>
      {phone ? (
        <RowLink href={`/subscriptions/${subscription.id}`}>{subscription.name ?? 'Plan'}</RowLink>
      ) : (
        <span title={subscription.name ?? undefined} className="md:max-w-40 md:truncate lg:max-w-56 xl:max-w-80">
          {subscription.name ?? 'Plan'}
        </span>
      )}
      <span className="text-[13px] text-muted tabular-nums md:whitespace-nowrap">{priceOf(subscription)}</span>
    </span>
  ),
});

export function priceOf({ plan_price, currency, billing_period, billing_interval }: SubscriptionView): string {
  if (plan_price === null) return '';
  const every = billing_period && describeInterval({ interval: billing_period, interval_count: billing_interval ?? 1 });
  return [formatMoney(plan_price, currency), every].filter(Boolean).join(' ');
}

/** The date that matters in the current state. */
function NextDate({ subscription }: { subscription: SubscriptionView }) {
  const [label, date] = subscription.ended_at
    ? ['Ended', subscription.ended_at]
    : subscription.cancel_at
      ? ['Ends', subscription.cancel_at]
      : subscription.cancel_at_period_end
        ? ['Ends', subscription.current_period_end]
        : subscription.status === 'trialing'
          ? ['Trial until', subscription.trial_end]
          : ['Renews', subscription.upcoming_invoice_date];
  // Before the first payment nothing runs that could renew or end.
  if (!date || subscription.status === 'incomplete') return <span className="text-muted">–</span>;
  return (
    <span className="xl:whitespace-nowrap">
      <span className="text-muted">{label}</span> <DateTime value={date} shape="date" />
    </span>
  );
}

/** The status, and what else needs attention. */
function Status({ subscription }: { subscription: SubscriptionView }) {
  const attention = attentionLabel(subscription, useNow());
  return (
    <span className="inline-grid justify-items-start gap-0.5 max-md:justify-items-end">
      <StatusBadge kind="subscription" status={shownStatus(subscription)} />
      {subscription.replaced_by && <span className="text-[13px] text-muted">{REPLACED}</span>}
      {attention && <span className="text-[13px] text-warn-ink">{attention}</span>}
    </span>
  );
}

const otherColumns: SubscriptionColumn[] = [
  { header: 'Next', cell: (subscription) => <NextDate subscription={subscription} /> },
  {
    header: 'Status',
    phone: 'corner',
    cell: (subscription) => <Status subscription={subscription} />,
  },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (subscription) => <SubscriptionActions subscription={subscription} />,
  },
];

/** `selection` enables the selection of rows whose patient has something to pay or a card to save. */
export const subscriptionColumns = (selection: RowSelection | null): SubscriptionColumn[] => [
  ...(selection ? [selectionColumn(selection)] : []),
  patient,
  plan(),
  ...otherColumns,
];
export type RowSelection = { selected: Set<string>; onSelect: (row: SubscriptionRow, isSelected: boolean) => void };

export const canBeSent = ({ next_action }: SubscriptionView): boolean => next_action !== 'none';

const selectionColumn = ({ selected, onSelect }: RowSelection): SubscriptionColumn => ({
  header: 'Choose',
  hideHeader: true,
  cell: (row) =>
    canBeSent(row) ? (
      <Checkbox
        className="relative z-10"
        label={<span className="sr-only">Choose {row.patient?.name ?? 'this patient'}</span>}
        checked={selected.has(row.id)}
        onCheckedChange={(checked) => onSelect(row, checked === true)}
      />
    ) : (
      <span className="text-muted md:hidden">Nothing to pay</span>
    ),
});

export const PATIENT_SUBSCRIPTION_COLUMNS = [plan('title'), ...otherColumns];
