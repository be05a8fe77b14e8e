'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { TicketPercent } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { CatalogueView } from '#contract/plan-changes.ts';
import type { ListedCodeView } from '#contract/promotion-code-changes.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Badge } from '#web/ui/badge.tsx';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import type { MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { formatPlainDate } from '#web/ui/format-time.ts';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { RowMenu } from '../shell/action-menu.tsx';
import { CODE_STATES, codeTerms, usesLabel } from './code-terms.ts';

/** For those who may write. */
function CodeActions({ code: { id, code, state } }: { code: ListedCodeView }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('plans');
  const [isArchiving, setArchiving] = useState(false);
  const activation = useMutation({
    mutationFn: () => client.plans.unarchivePromotionCode.mutate({ id }),
    onSuccess: () => toast.success('The code is valid again'),
    onError: (error) => toast.error(firstErrorMessage(error)),
    // It may be expired by now.
    onSettled: refresh,
  });
  const entries: Partial<Record<ListedCodeView['state'], MenuEntry>> = {
    active: { kind: 'action', label: 'Archive…', danger: true, onSelect: () => setArchiving(true) },
    archived: { kind: 'action', label: 'Make valid again', onSelect: () => activation.mutate() },
  };
  const entry = entries[state];
  return (
    <>
      {entry && <RowMenu of={code} entries={[entry]} pending={activation.isPending} />}
      {isArchiving && (
        <ConfirmDialog
          title={`Archive the code ${code}?`}
          description="No patient can redeem it any more. Discounts that patients have already remain."
          confirmLabel="Archive code"
          act={() => client.plans.archivePromotionCode.mutate({ id })}
          done="Code archived"
          refresh={refresh}
          onClose={() => setArchiving(false)}
        />
      )}
    </>
  );
}

const muted = (text: string) => <span className="text-muted">{text}</span>;

const ACTIONS: Column<ListedCodeView> = {
  header: 'Actions',
  hideHeader: true,
  align: 'end',
  phone: 'menu',
  cell: (code) => <CodeActions code={code} />,
};

const columnsWith = (names: Map<string, string>, mayWrite: boolean): Column<ListedCodeView>[] => [
  {
    header: 'Code',
    phone: 'title',
    cell: (code) => (
      <span className="grid">
        <span className="font-medium wrap-anywhere">{code.code}</span>
        <span className="text-[13px] text-muted">{codeTerms(code)}</span>
      </span>
    ),
  },
  {
    header: 'For',
    wraps: true,
    cell: ({ products, first_time_only, for_one_customer }) => {
      const plans =
        products.length === 0 ? 'All plans' : products.map((id) => names.get(id) ?? 'A plan of before').join(', ');
      const who = [first_time_only && 'first payment only', for_one_customer && 'one patient only'];
      return [plans, ...who.filter(Boolean)].join(', ');
    },
  },
  { header: 'Used', cell: (code) => <span className="tabular-nums">{usesLabel(code)}</span> },
  { header: 'Last day', cell: ({ last_day }) => (last_day ? formatPlainDate(last_day) : muted('None')) },
  {
    header: 'Status',
    phone: 'corner',
    cell: ({ state }) => (
      <Badge tone={CODE_STATES[state].tone} dot>
        {CODE_STATES[state].label}
      </Badge>
    ),
  },
  ...(mayWrite ? [ACTIONS] : []),
];

type CodesTableProps = {
  catalogue: CatalogueView | undefined;
  /** Shown instead of the list while payments are not connected. */
  notConnected: ReactNode;
  /** The button that makes a code, for those who may. */
  create: ReactNode;
};

export function CodesTable({ catalogue, notConnected, create }: CodesTableProps) {
  const trpc = useTRPC();
  const mayWrite = useMay('plans:write');
  const codes = useQuery(trpc.plans.listPromotionCodes.queryOptions());
  const names = new Map(catalogue?.items.map(({ product, name }) => [product, name]));
  return (
    <>
      <p className="mb-3 text-[13px] text-muted">
        {mayWrite && 'A code cannot be changed, as Stripe has it: archive it, and make another. '}
        Patients enter a code on the payment page of a link that allows codes.
      </p>
      <DataTable
        label="Promotion codes"
        columns={columnsWith(names, mayWrite)}
        rows={notConnected ? [] : codes.data?.items}
        rowId={(code) => code.id}
        error={notConnected ? null : codes.error}
        onRetry={() => void codes.refetch()}
        empty={
          notConnected || (
            <EmptyState
              icon={TicketPercent}
              title="No promotion codes yet"
              description={create ? 'Make one, and give it to patients.' : 'Codes that patients can redeem show here.'}
              action={create}
            />
          )
        }
      />
    </>
  );
}
