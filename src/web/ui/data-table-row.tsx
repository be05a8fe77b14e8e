// biome-ignore-all lint/a11y/noRedundantRoles: display:block and grid on phones take a table's own roles away in some browsers.

import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn.ts';
import { Link } from './link.tsx';

/** A column: its header and its cell. The server sorts, filters and pages. */
export type Column<Row> = {
  header: string;
  /** Shows the header to screen readers only. */
  hideHeader?: boolean;
  align?: 'end';
  /** On phones, `title` heads the card, `corner` and `menu` are placed next to it, `lead` is a line without a label. */
  phone?: 'title' | 'corner' | 'menu' | 'lead' | 'hidden';
  /** Text of any length: it wraps, instead of narrowing the other columns. */
  wraps?: boolean;
  /** Hidden in a narrow table, where other columns show its content: see `WHERE_TIGHT`. */
  roomy?: boolean;
  /** The server's name for the sort order of this column. */
  sortBy?: string;
  cell: (row: Row) => ReactNode;
};

/** How a row differs from others, and what is shown above it: table rows. */
export type RowLook = { className?: string | undefined; above?: ReactNode };

type RowProps<Row> = { row: Row; columns: Column<Row>[]; look?: RowLook | undefined } & Pick<
  ComponentProps<'tr'>,
  'ref' | 'aria-rowindex' | 'onFocus'
> & { 'data-index'?: number };

/** A row; on phones, a card. */
export function DataTableRow<Row>({ row, columns, look, ...rest }: RowProps<Row>) {
  return (
    <>
      {look?.above}
      <tr role="row" className={cn(rowStyle, look?.className)} {...rest}>
        {columns.map(({ header, align, phone, wraps, roomy, cell }) => (
          <td
            role="cell"
            key={header}
            className={cn(
              'px-3 py-2.5 first:pl-4 last:pr-4 max-md:p-0! xl:px-4',
              align === 'end' && 'md:text-right',
              wraps && 'wrap-anywhere md:min-w-28',
              roomy && ROOMY,
              PHONE_CELL[phone ?? 'line'],
            )}
          >
            {!phone && (
              <span aria-hidden data-row-label className="shrink-0 text-[13px] text-muted md:hidden">
                {header}
              </span>
            )}
            {cell(row)}
          </td>
        ))}
      </tr>
    </>
  );
}

/** For tablets and side-by-side layouts: the table's own width counts, not the window's. */
export const ROOMY = 'md:@max-3xl/table:hidden';
/** Shows content only where a `roomy` column is hidden. */
export const WHERE_TIGHT = 'hidden md:@max-3xl/table:inline';

export const bodyStyle = 'divide-y divide-line max-md:block';

const rowStyle =
  'relative transition-colors has-[a:hover]:bg-hover/70 max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto_auto] max-md:items-center max-md:gap-y-1 max-md:px-4 max-md:py-3';

const PHONE_CELL = {
  title: 'wrap-anywhere max-md:col-start-1 max-md:row-start-1 max-md:min-w-0 md:min-w-36',
  corner: 'max-md:col-start-2 max-md:row-start-1 max-md:ml-3 max-md:max-w-32 max-md:text-right',
  menu: 'max-md:col-start-3 max-md:row-start-1 max-md:-mr-2 max-md:ml-1 max-md:empty:hidden',
  lead: 'max-md:col-span-3 max-md:empty:hidden',
  hidden: 'max-md:hidden',
  // The baseline of a button with an icon is the icon's.
  line: 'max-md:col-span-3 max-md:flex max-md:items-baseline max-md:has-[>button]:items-center max-md:justify-between max-md:gap-3 max-md:text-right',
};

/**
 * The link of a table row: the whole row is clickable. A long name wraps, instead of narrowing the other columns. Other
 * controls in the row need `relative`.
 */
export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className="inline-block font-medium wrap-anywhere md:max-w-36 lg:max-w-56 xl:max-w-sm outline-none after:absolute after:inset-0 focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-ring"
    >
      {children}
    </Link>
  );
}
