// biome-ignore-all lint/a11y/noRedundantRoles: display:block and grid on phones take a table's own roles away in some browsers.
'use client';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Card } from './card.tsx';
import { cn } from './cn.ts';
import { bodyStyle, type Column, DataTableRow, ROOMY, type RowLook } from './data-table-row.tsx';
import { ErrorState } from './error-state.tsx';
import { LoadMore } from './pagination.tsx';
import { DataTableSkeleton } from './skeleton.tsx';
import { useLazyComponent } from './use-lazy-component.ts';

export type { Column, RowLook };

type DataTableProps<Row> = {
  /** What the table holds, for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  rowId: (row: Row) => string;
  lookOf?: (row: Row) => RowLook;
  toolbar?: ReactNode;
  error?: unknown;
  onRetry?: () => void;
  /** Shown when there are no rows; distinguish "nothing yet" from "nothing found". */
  empty: ReactNode;
  /** True while the rows of the previous search stay on screen. */
  stale?: boolean;
  more?: Omit<ComponentProps<typeof LoadMore>, 'count'>;
  /** The current order, prefixed with `-` for descending, and its change handler; for columns with `sortBy`. */
  sort?: { by: string; onChange: (by: string) => void };
};

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, toolbar, error, onRetry, rows, empty, more } = props;
  return (
    <Card aria-label={label} className="overflow-hidden">
      {toolbar && (
        <div className="flex flex-wrap items-center gap-2 border-b border-line p-2.5 print:hidden">{toolbar}</div>
      )}
      {error ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : !rows ? (
        <DataTableSkeleton columns={props.columns.length} />
      ) : rows.length === 0 ? (
        <div aria-live="polite">{empty}</div>
      ) : (
        // `relative`: otherwise content for screen readers only would overflow and widen the page.
        <div className="@container/table relative md:overflow-x-auto">
          <Rows {...props} rows={rows} />
        </div>
      )}
      {!error && rows && rows.length > 0 && more && <LoadMore {...more} count={rows.length} />}
    </Card>
  );
}

const loadVirtual = () => import('./virtual-rows.tsx').then((module) => module.VirtualRows);
/** Up to this number, all rows are rendered; longer lists are virtualized. 1,000 rows block the page for one second. */
const MAX_PLAIN_ROWS = 100;

/** Includes the header row; -1 means an unknown number of rows. */
const rowCount = (loaded: number, more: DataTableProps<unknown>['more']) =>
  more?.hasMore ? (more.total && !more.total.capped && !more.folded ? more.total.count + 1 : -1) : loaded + 1;

/**
 * A real table on wide screens; on phones each row is a card, and explicit roles keep it a table for screen readers.
 */
function Rows<Row>({ label, columns, rows, rowId, lookOf, stale, sort, more }: DataTableProps<Row> & { rows: Row[] }) {
  // If the module does not load, all rows are rendered, which is only slower.
  const Virtual = useLazyComponent(loadVirtual, rows.length > MAX_PLAIN_ROWS, () => {});
  return (
    <table
      role="table"
      aria-label={label}
      aria-rowcount={Virtual ? rowCount(rows.length, more) : undefined}
      aria-busy={stale || undefined}
      className={cn('w-full max-md:block', stale && 'opacity-60 transition-opacity')}
    >
      <thead role="rowgroup" className="max-md:sr-only max-md:focus-within:not-sr-only">
        <tr role="row">
          {columns.map(({ header, hideHeader, align, roomy, sortBy }) => (
            <th
              role="columnheader"
              key={header}
              scope="col"
              {...(sortBy && sort && { 'aria-sort': directionOf(sort.by, sortBy) })}
              className={cn(
                'border-b border-line bg-sunken/60 px-3 py-2 text-xs first:pl-4 last:pr-4 xl:px-4 font-medium whitespace-nowrap text-muted',
                align === 'end' ? 'text-right' : 'text-left',
                roomy && ROOMY,
              )}
            >
              {hideHeader ? (
                <span className="sr-only">{header}</span>
              ) : sortBy && sort ? (
                <SortButton header={header} sortBy={sortBy} {...sort} />
              ) : (
                header
              )}
            </th>
          ))}
        </tr>
      </thead>
      {Virtual ? (
        <Virtual
          columns={columns as Column<unknown>[]}
          rows={rows}
          rowId={rowId as (row: unknown) => string}
          lookOf={lookOf as ((row: unknown) => RowLook) | undefined}
        />
      ) : (
        <tbody role="rowgroup" className={bodyStyle}>
          {rows.map((row) => (
            <DataTableRow key={rowId(row)} row={row} columns={columns} look={lookOf?.(row)} />
          ))}
        </tbody>
      )}
    </table>
  );
}

const directionOf = (by: string, sortBy: string) =>
  by === sortBy ? 'ascending' : by === `-${sortBy}` ? 'descending' : 'none';

type SortButtonProps = { header: string; sortBy: string; by: string; onChange: (by: string) => void };

/** Sorts by its column, and reverses the order on the next press. */
function SortButton({ header, sortBy, by, onChange }: SortButtonProps) {
  const direction = directionOf(by, sortBy);
  const Icon = direction === 'descending' ? ArrowDown : direction === 'ascending' ? ArrowUp : ChevronsUpDown;
  return (
    <button
      type="button"
      onClick={() => onChange(direction === 'ascending' ? `-${sortBy}` : sortBy)}
      className="-mx-1 inline-flex min-h-6 items-center gap-1 rounded-sm px-1 py-0.5 hover:text-ink"
    >
      {header}
      <Icon aria-hidden className={cn('size-3.5', direction === 'none' && 'opacity-50')} />
    </button>
  );
}
