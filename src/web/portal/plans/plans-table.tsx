'use client';
import { ReceiptText } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { CataloguePlanView, CatalogueView } from '#contract/plan-changes.ts';
import { Badge } from '#web/ui/badge.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import type { MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { SearchInput } from '#web/ui/search-input.tsx';
import { useMay } from '../me.tsx';
import { RowMenu } from '../shell/action-menu.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { describePrice } from './plan-terms.ts';

const dialogs = () => import('./plan-dialogs.tsx');
const EditPlanDialog = lazyComponent(() => dialogs().then((module) => module.EditPlanDialog));
const ChangePriceDialog = lazyComponent(() => dialogs().then((module) => module.ChangePriceDialog));
const ArchivePlanDialog = lazyComponent(() => dialogs().then((module) => module.ArchivePlanDialog));
const OfferPlanDialog = lazyComponent(() => dialogs().then((module) => module.OfferPlanDialog));

type Action = 'edit' | 'price' | 'archive' | 'offer';

type PlanActionsProps = { plan: CataloguePlanView; onAsk: (action: Action) => void };

function PlanActions({ plan, onAsk }: PlanActionsProps) {
  const action = (label: string, name: Action, danger = false): MenuEntry => ({
    kind: 'action',
    label,
    danger,
    onSelect: () => onAsk(name),
  });
  const changes = plan.offered
    ? [
        action('Edit…', 'edit'),
        ...(plan.has_one_amount ? [action('Change price…', 'price')] : []),
        action('Archive…', 'archive', true),
      ]
    : [action('Edit…', 'edit'), action('Offer again…', 'offer')];
  return <RowMenu of={`${plan.name}, ${describePrice(plan)}`} entries={changes} />;
}

/** An action with the plan and the currencies as they were when it was chosen. */
type Asked = { action: Action; plan: CataloguePlanView; currencies: string[] };

function PlanDialog({ asked: { action, plan, currencies }, onClose }: { asked: Asked; onClose: () => void }) {
  const dialog = { plan, onClose };
  switch (action) {
    case 'edit':
      return <EditPlanDialog {...dialog} />;
    case 'price':
      return <ChangePriceDialog {...dialog} currencies={currencies} />;
    case 'archive':
      return <ArchivePlanDialog {...dialog} />;
    case 'offer':
      return <OfferPlanDialog {...dialog} />;
  }
}

const COLUMNS: Column<CataloguePlanView>[] = [
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
    cell: ({ offered }) => (
      <Badge tone={offered ? 'good' : 'neutral'} dot>
        {offered ? 'Offered' : 'Archived'}
      </Badge>
    ),
  },
  {
    header: 'Price id',
    cell: (plan) => (
      <CopyButton
        size="sm"
        variant="ghost"
        value={plan.price_id}
        label="Copy id"
        className="max-md:-mr-2.5 md:-ml-2.5"
      />
    ),
  },
];

type PlansTableProps = {
  catalogue: CatalogueView | undefined;
  error: unknown;
  onRetry: () => void;
  /** Shown instead of the list while payments are not connected. */
  notConnected: ReactNode;
  /** The button that makes a plan, for those who may. */
  create: ReactNode;
};

export function PlansTable({ catalogue, error, onRetry, notConnected, create }: PlansTableProps) {
  const [search, setSearch] = useQueryParam('search');
  const [show, setShow] = useQueryParam('show');
  // Not in its row, which a colleague's change may remove.
  const [asked, setAsked] = useState<Asked | null>(null);
  const isArchive = show === 'archived';
  const query = search.toLowerCase();
  const rows = catalogue?.items.filter(
    (plan) =>
      plan.offered !== isArchive && `${plan.name} ${plan.nickname ?? ''} ${plan.id}`.toLowerCase().includes(query),
  );
  const columns: Column<CataloguePlanView>[] = [...COLUMNS];
  if (useMay('plans:write'))
    columns.push({
      header: 'Actions',
      hideHeader: true,
      align: 'end',
      phone: 'menu',
      cell: (plan) => (
        <PlanActions
          plan={plan}
          onAsk={(action) => setAsked({ action, plan, currencies: catalogue?.currencies ?? [] })}
        />
      ),
    });
  return (
    <>
      <DataTable
        label="Plans"
        columns={columns}
        rows={notConnected ? [] : rows}
        rowId={(plan) => plan.id}
        error={error}
        onRetry={onRetry}
        toolbar={
          <>
            <SearchInput label="Search plans" value={search} onSearch={setSearch} className="w-full md:w-72" />
            <FilterSelect
              label="Show"
              options={[
                { value: '', label: 'Offered' },
                { value: 'archived', label: 'Archived' },
              ]}
              value={isArchive ? show : ''}
              onChange={setShow}
            />
          </>
        }
        empty={
          notConnected ||
          (search ? (
            <EmptyState icon={ReceiptText} title="No plan matches" description="Try fewer letters." />
          ) : isArchive ? (
            <EmptyState
              icon={ReceiptText}
              title="No archived plans"
              description="Plans that are not offered any more show here."
            />
          ) : (
            <EmptyState
              icon={ReceiptText}
              title="No plans yet"
              description={
                create
                  ? 'Make the first one: a name and a price are enough.'
                  : 'What patients can subscribe to shows here.'
              }
              action={create}
            />
          ))
        }
      />
      {asked && <PlanDialog asked={asked} onClose={() => setAsked(null)} />}
    </>
  );
}
