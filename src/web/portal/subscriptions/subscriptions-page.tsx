'use client';
import { useQuery } from '@tanstack/react-query';
import { BellRing, Download, Send } from 'lucide-react';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { AddButton, Button } from '#web/ui/button.tsx';
import type { ComboboxOption } from '#web/ui/combobox.tsx';
import { FilterMenu } from '#web/ui/filter-menu.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { statusOptions } from '#web/ui/status-badge.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { PatientFilter } from '../patients/patient-filter.tsx';
import { describePrice } from '../plans/plan-terms.ts';
import { useDownload } from '../use-download.ts';
import { useQueryParam } from '../use-query-param.ts';
import { canBeSent, type SubscriptionRow, subscriptionColumns } from './subscription-columns.tsx';
import { type SubscriptionsFilter, SubscriptionsTable } from './subscriptions-table.tsx';

const SendLinksDialog = lazyComponent(() => import('./send-links-dialog.tsx').then((module) => module.SendLinksDialog));

type SelectionBarProps = { open: number; chosen: SubscriptionRow[]; onAll: () => void; onNone: () => void };

/** Actions on several rows at once. */
function SelectionBar({ open, chosen, onAll, onNone }: SelectionBarProps) {
  const [sending, setSending] = useState<SubscriptionRow[] | null>(null);
  const count = chosen.length;
  return (
    <div className="flex basis-full flex-wrap items-center gap-2">
      {count < open ? (
        <Button size="sm" onClick={onAll}>
          Choose all
        </Button>
      ) : (
        <Button size="sm" onClick={onNone}>
          Choose none
        </Button>
      )}
      <Button size="sm" variant="primary" disabled={count === 0} onClick={() => setSending(chosen)}>
        <Send aria-hidden />
        Send payment links
      </Button>
      <p role="status" className="text-[13px] text-muted">
        {count === 0 ? 'Choose patients to remind.' : `${count} chosen`}
      </p>
      {sending && (
        <SendLinksDialog
          rows={sending}
          onClose={() => {
            setSending(null);
            onNone();
          }}
        />
      )}
    </div>
  );
}

const SubscribeDialog = lazyComponent(() => import('./subscribe-dialog.tsx').then((module) => module.SubscribeDialog));

/** Stripe has one status for "canceled before the first payment" and "not paid in time", so they share one filter. */
const STATUSES = statusOptions('subscription').map((option) =>
  option.value === 'incomplete_expired' ? { ...option, label: 'Ended before payment' } : option,
);
/** Statuses in which the patient may have something to pay or a card to save. */
const OPEN = new Set<SubscriptionView['status']>(['incomplete', 'trialing', 'past_due', 'unpaid']);
/** Maximum number of links in one request. */
const MAX_SELECTED = 100;

export function SubscriptionsPage() {
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [statusParam, setStatus] = useQueryParam('status');
  const [plan, setPlan] = useQueryParam('plan');
  const [attention, setAttention] = useQueryParam('attention');
  const [creating, setCreating] = useState(false);
  const [rows, setRows] = useState<SubscriptionRow[]>([]);
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const statuses = STATUSES.map(({ value }) => value as SubscriptionView['status']).filter((value) =>
    statusParam.split(',').includes(value),
  );
  const needsAttention = attention === '1';
  const filter: SubscriptionsFilter = {
    ...(patient && { patient_id: patient.value }),
    ...(statuses.length > 0 && { status: statuses }),
    ...(/^[\w-]{1,255}$/.test(plan) && { price_id: plan }),
    ...(needsAttention && { needs_attention: true }),
  };
  const isFiltered = Object.keys(filter).length > 0;
  const maySubscribe = useMay('subscriptions:write');
  const mayExport = useMay('lists:export');
  const download = useDownload();
  const areOpen = needsAttention || (statuses.length > 0 && statuses.every((status) => OPEN.has(status)));
  const isSelecting = maySubscribe && areOpen;
  const open = rows.filter(canBeSent);
  const chosen = isSelecting ? open.filter(({ id }) => selected.has(id)).slice(0, MAX_SELECTED) : [];
  const create = maySubscribe && <AddButton onClick={() => setCreating(true)}>New subscription</AddButton>;
  return (
    <>
      <PageHeader
        title="Subscriptions"
        description="Who pays for which plan"
        actions={
          <>
            {mayExport && (
              <Button onClick={() => void download(exportOf(filter))}>
                <Download aria-hidden />
                Export
              </Button>
            )}
            {create}
          </>
        }
      />
      <SubscriptionsTable
        label="Subscriptions"
        columns={subscriptionColumns(
          isSelecting
            ? {
                selected,
                onSelect: ({ id }, isSelected) =>
                  setSelected(
                    (before) => new Set([...before].filter((one) => one !== id).concat(isSelected ? [id] : [])),
                  ),
              }
            : null,
        )}
        filter={filter}
        onRows={setRows}
        toolbar={
          <>
            <PatientFilter value={patient} onChange={setPatient} />
            <FilterMenu
              label="Status"
              any="Any status"
              options={STATUSES}
              values={statuses}
              onChange={(values) => setStatus(values.join(','))}
            />
            <PlanFilter value={plan} onChange={setPlan} />
            <Button
              aria-pressed={needsAttention}
              onClick={() => setAttention(needsAttention ? '' : '1')}
              className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
            >
              <BellRing aria-hidden />
              Needs attention
            </Button>
            {isSelecting && open.length > 0 && (
              <SelectionBar
                open={open.length}
                chosen={chosen}
                onAll={() => setSelected(new Set(open.slice(0, MAX_SELECTED).map(({ id }) => id)))}
                onNone={() => setSelected(new Set())}
              />
            )}
          </>
        }
        empty={
          needsAttention
            ? {
                title: 'Nothing needs attention',
                description: 'Everybody here has paid, and no card runs out within 30 days.',
              }
            : isFiltered
              ? { title: 'No subscription matches', description: 'Try another status, another plan or no patient.' }
              : {
                  title: 'No subscriptions yet',
                  description: maySubscribe
                    ? 'Start one and send the patient the link to pay.'
                    : 'What patients subscribe to shows here.',
                  action: create,
                }
        }
      />
      {creating && <SubscribeDialog open onOpenChange={setCreating} />}
    </>
  );
}

const exportOf = ({ status, needs_attention, ...rest }: SubscriptionsFilter): string => {
  const query = new URLSearchParams(rest as Record<string, string>);
  if (status) query.set('status', status.join(','));
  if (needs_attention) query.set('needs_attention', 'true');
  return `/api/subscriptions/export?${query}`;
};

/** Filters by plan; includes a plan from the URL that is no longer offered. */
function PlanFilter({ value, onChange }: { value: string; onChange: (priceId: string) => void }) {
  const trpc = useTRPC();
  const plans = useQuery(trpc.plans.list.queryOptions({ size: 1000 }));
  const offered = (plans.data?.items ?? []).map((plan) => ({
    value: plan.id,
    label: [plan.name, plan.nickname, describePrice(plan)].filter(Boolean).join(' · '),
  }));
  const isOffered = value === '' || offered.some((option) => option.value === value);
  return (
    <FilterSelect
      label="Plan"
      options={[
        { value: '', label: 'Any plan' },
        ...offered,
        ...(isOffered ? [] : [{ value, label: 'A plan that is not offered' }]),
      ]}
      value={value}
      onChange={onChange}
    />
  );
}
