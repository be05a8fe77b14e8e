'use client';
import { useQueries, useQuery } from '@tanstack/react-query';
import {
  ArrowLeftRight,
  Ban,
  CalendarClock,
  CreditCard,
  Link2,
  ListPlus,
  type LucideIcon,
  MoreHorizontal,
  RotateCcw,
  SlidersHorizontal,
} from 'lucide-react';
import { useState } from 'react';
import { ENDED_STATUSES } from '#contract/subscription-status.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { Fact } from '#web/ui/fact.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { RecordError } from '#web/ui/record-error.tsx';
import { PageSkeleton } from '#web/ui/skeleton.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { useNow } from '../now.tsx';
import { BirthDate, PatientName } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { describePrice } from '../plans/plan-terms.ts';
import { type ActionEntry, ActionMenu } from '../shell/action-menu.tsx';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';
import { subscriptionTask } from '../tasks/task-values.ts';
import { ObjectTimeline } from '../timeline/object-timeline.tsx';
import { useTimeline } from '../timeline/timeline-entries.tsx';
import { NextBill } from './next-bill.tsx';
import { archivedPlanMessage, nextEvent } from './next-event.ts';
import { PaymentsTable, usePayments } from './payments-table.tsx';
import { attentionLabel, cardExpiry, cardLabel, shownStatus } from './subscription.ts';
import { canBeSent, priceOf } from './subscription-columns.tsx';

const CheckoutLinkDialog = lazyComponent(() =>
  import('./checkout-link.tsx').then((module) => module.CheckoutLinkDialog),
);
const ManageLinkDialog = lazyComponent(() =>
  import('../manage-link/manage-link.tsx').then((module) => module.ManageLinkDialog),
);
const CancelSubscription = lazyComponent(() =>
  import('./cancel-subscription.tsx').then((module) => module.CancelSubscription),
);
const UndoCancellation = lazyComponent(() =>
  import('./cancel-subscription.tsx').then((module) => module.UndoCancellation),
);
const ChangePlanDialog = lazyComponent(() =>
  import('./change-plan-dialog.tsx').then((module) => module.ChangePlanDialog),
);
const TrialDialog = lazyComponent(() => import('./trial-dialog.tsx').then((module) => module.TrialDialog));

const BACK_LINK = { href: '/subscriptions', label: 'Subscriptions' };

/** One subscription: state, next event, payments, and all actions. */
export function SubscriptionPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const subscription = useQuery(trpc.subscriptions.get.queryOptions({ id }));
  if (subscription.error)
    return (
      <RecordError
        error={subscription.error}
        what="subscription"
        icon={CreditCard}
        back={BACK_LINK}
        hint="Look for it in the list."
        onRetry={() => void subscription.refetch()}
      />
    );
  return subscription.data ? <Loaded subscription={subscription.data} /> : <PageSkeleton title="Subscription" />;
}

const CHANGEABLE = new Set<SubscriptionView['status']>(['trialing', 'active', 'past_due']);

type OpenDialog = 'link' | 'manage' | 'plan' | 'trial' | 'cancel' | 'undo' | 'task';

function Loaded({ subscription }: { subscription: SubscriptionView }) {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const timeline = useTimeline({
    patient_id: subscription.patient_id,
    object_id: subscription.id,
    of: 'subscriptions',
  });
  const { id, status, cancel_at, name } = subscription;
  // The query starts at once; lower sections render once nothing above them grows any more.
  const payments = usePayments({ subscription_id: id });
  const areBillsLoaded = payments.rows !== undefined || payments.error !== null;
  const title = name ?? 'Subscription';
  const hasEnded = ENDED_STATUSES.includes(status);
  // At a former account, no payment link is created and no plan is changed.
  const isFormer = subscription.stripe_issue === 'former_account';
  const close = () => setOpen(null);
  const mayWrite = useMay('subscriptions:write');
  const task = subscriptionTask(subscription);
  const act = (label: string, icon: LucideIcon, dialog: OpenDialog, danger = false): ActionEntry => ({
    kind: 'action',
    // The link to manage can cancel too.
    needs: dialog === 'cancel' || dialog === 'manage' ? 'subscriptions:cancel' : 'subscriptions:write',
    label,
    icon,
    ...(danger && { danger }),
    onSelect: () => setOpen(dialog),
  });
  const entries = [
    ...(hasEnded ? [] : [act('Link to manage', SlidersHorizontal, 'manage')]),
    ...(status === 'trialing' ? [act('Extend or end the trial', CalendarClock, 'trial')] : []),
    ...(task ? [{ ...act('Make a task', ListPlus, 'task'), needs: 'tasks:write' as const }] : []),
    ...(cancel_at && !hasEnded ? [act('Keep it running', RotateCcw, 'undo')] : []),
    ...(hasEnded ? [] : [act('Cancel subscription', Ban, 'cancel', true)]),
  ];
  return (
    <>
      <title>{`${title} · Carelane`}</title>
      <PageHeader
        back={BACK_LINK}
        title={title}
        meta={<StatusBadge kind="subscription" status={shownStatus(subscription)} />}
        description={<PatientOf patientId={subscription.patient_id} />}
        actions={
          <>
            {mayWrite && !hasEnded && !isFormer && canBeSent(subscription) && (
              <Button variant="primary" onClick={() => setOpen('link')}>
                <Link2 aria-hidden />
                Payment link
              </Button>
            )}
            {mayWrite && !isFormer && CHANGEABLE.has(status) && (
              <Button onClick={() => setOpen('plan')}>
                <ArrowLeftRight aria-hidden />
                Change plan
              </Button>
            )}
            <ActionMenu
              label="More actions"
              trigger={
                <Button aria-label="More actions">
                  <MoreHorizontal aria-hidden />
                </Button>
              }
              entries={entries}
            />
          </>
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="grid min-w-0 gap-6">
          <StateCard subscription={subscription} />
          <section className="grid gap-2">
            <h2 className="font-semibold">Payments</h2>
            <PaymentsTable label={`Payments of ${title}`} filter={{ subscription_id: id }} />
          </section>
          {areBillsLoaded && <ObjectTimeline timeline={timeline} shorten={(line) => ({ ...line, about: null })} />}
        </div>
        <SubscriptionFacts subscription={subscription} />
      </div>
      {open === 'link' && <CheckoutLinkDialog subscription={subscription} onClose={close} />}
      {open === 'manage' && <ManageLinkDialog subscription={subscription} onClose={close} />}
      {open === 'plan' && <ChangePlanDialog subscription={subscription} onClose={close} />}
      {open === 'trial' && <TrialDialog subscription={subscription} onClose={close} />}
      {open === 'cancel' && <CancelSubscription subscription={subscription} onClose={close} />}
      {open === 'task' && task && <NewTaskDialog start={task} onClose={close} />}
      {open === 'undo' && <UndoCancellation subscription={subscription} onClose={close} />}
    </>
  );
}

/** Names the patient: on a phone, all other facts are further down. */
function PatientOf({ patientId }: { patientId: string }) {
  const labelOf = usePatientLabels([patientId]);
  return (
    <>
      of{' '}
      <Link href={`/patients/${patientId}`} className="rounded-sm font-medium text-ink wrap-anywhere hover:underline">
        <PatientName patient={labelOf?.(patientId)} />
      </Link>{' '}
      <BirthDate date={labelOf?.(patientId)?.birthDate} />
    </>
  );
}

function StateCard({ subscription }: { subscription: SubscriptionView }) {
  const trpc = useTRPC();
  const isBehind = subscription.status === 'past_due';
  const open = useQuery({
    ...trpc.payments.list.queryOptions({ subscription_id: subscription.id, status: 'open', size: 1 }),
    enabled: isBehind,
  });
  const plans = useQuery(trpc.plans.list.queryOptions({ size: 1000 }));
  const archived = archivedPlanMessage(subscription, plans.data ? new Set(plans.data.items.map(({ id }) => id)) : null);
  const { sentence, label, at, due } = nextEvent(subscription, open.data?.items[0] ?? null);
  return (
    <Card aria-label="Status" className="grid gap-1 px-4 py-3">
      <p>{sentence}</p>
      {archived && <p className="text-muted">{archived}</p>}
      {label && at && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-muted">
          <span>
            {label}: <DateTime value={at} />
          </span>
          {due?.kind === 'next_bill' && <NextBill subscription={subscription} />}
          {due?.kind === 'open' && (
            <span className="font-medium text-ink tabular-nums">{formatMoney(due.amount, due.currency)}</span>
          )}
        </div>
      )}
    </Card>
  );
}

/** Patient, items and payment method of a subscription. */
function SubscriptionFacts({ subscription }: { subscription: SubscriptionView }) {
  const { patient_id, payment_method: method, discount, currency, created_at, trial_end, items } = subscription;
  const labelOf = usePatientLabels([patient_id]);
  const attention = attentionLabel(subscription, useNow());
  return (
    <Card>
      <CardHeader title="What is paid for" />
      <dl className="grid gap-3 p-4 sm:max-xl:grid-cols-2">
        <Fact term="Patient">
          <Link href={`/patients/${patient_id}`} className="rounded-sm font-medium hover:underline">
            <PatientName patient={labelOf?.(patient_id)} />
          </Link>{' '}
          <BirthDate date={labelOf?.(patient_id)?.birthDate} />
        </Fact>
        <Fact term={items.length > 1 ? 'Plans' : 'Plan'}>
          <Items subscription={subscription} />
        </Fact>
        <Fact term="Total">
          <span className="tabular-nums">{priceOf(subscription) || 'Price varies'}</span>
        </Fact>
        <Fact term="Discount">
          {discount &&
            [
              discount.percent_off !== null && `${discount.percent_off}% off`,
              discount.amount_off !== null && `${formatMoney(discount.amount_off, currency)} off`,
              discount.code && `with the code ${discount.code}`,
            ]
              .filter(Boolean)
              .join(' ')}
        </Fact>
        <Fact term="Card on file">
          {method && (
            <span className="grid">
              <span>{cardLabel(method)}</span>
              {cardExpiry(method) && <span className="text-[13px] text-muted">Good until {cardExpiry(method)}</span>}
            </span>
          )}
          {attention && <span className="block text-[13px] text-warn-ink">{attention}</span>}
        </Fact>
        {trial_end && (
          <Fact term="Trial">
            until <DateTime value={trial_end} shape="date" />
          </Fact>
        )}
        <Fact term="Started">
          <DateTime value={created_at} shape="date" />
        </Fact>
        <Fact term="Id at Stripe">
          <CopyButton size="sm" value={subscription.id} label="Copy id" />
        </Fact>
      </dl>
    </Card>
  );
}

/** Items by name; prices that are archived at the connected account are looked up. */
function Items({ subscription: { items, name, stripe_issue } }: { subscription: SubscriptionView }) {
  const trpc = useTRPC();
  const plans = useQuery(trpc.plans.list.queryOptions({ size: 1000 }));
  const offered = plans.data?.items;
  const missing = items.filter(({ price_id }) => offered?.every(({ id }) => id !== price_id));
  const archived = useQueries({
    queries: missing.map(({ price_id }) => ({
      ...trpc.plans.get.queryOptions({ price_id }),
      enabled: stripe_issue !== 'former_account',
      retry: false,
    })),
  });
  const plansById = new Map(
    [...(offered ?? []), ...archived.flatMap(({ data }) => data ?? [])].map((plan) => [plan.id, plan]),
  );
  if (items.every(({ price_id }) => !plansById.has(price_id))) return name;
  return (
    <ul>
      {items.map(({ id, price_id, quantity }) => {
        const plan = plansById.get(price_id);
        const label = plan
          ? [plan.name, plan.nickname].filter(Boolean).join(' · ')
          : 'A plan that is not offered any more';
        return (
          <li key={id}>
            {quantity > 1 && `${quantity} × `}
            {label}
            {plan && <span className="block text-[13px] text-muted tabular-nums">{describePrice(plan)}</span>}
          </li>
        );
      })}
    </ul>
  );
}
