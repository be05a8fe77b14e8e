// biome-ignore-all lint/a11y/noRedundantRoles: display:block and grid on phones take a table's own roles away in some browsers.
'use client';
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { bodyStyle, type Column, DataTableRow, type RowLook } from './data-table-row.tsx';

type VirtualRowsProps<Row> = {
  columns: Column<Row>[];
  rows: Row[];
  rowId: (row: Row) => string;
  lookOf: ((row: Row) => RowLook) | undefined;
};

const WIDE = '(min-width: 48rem)';
const ROW_PX = 45;
const CARD_PX = 96;
const OVERSCAN_ROWS = 15;
/** The header is row 1 for screen readers, which count from one. */
const FIRST_INDEX = 2;

/**
 * The body of a long table: renders the rows near the window, and gaps in place of the others. The focused row stays
 * rendered, and all rows are rendered for printing and for the browser's search.
 */
export function VirtualRows<Row>({ columns, rows, rowId, lookOf }: VirtualRowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const [focused, setFocused] = useState<number | null>(null);
  const rendersAll = useRendersAll();
  useFixedColumns(body);
  // Content above the table may have changed its height.
  useLayoutEffect(() => {
    if (!body.current) return;
    const now = Math.round(body.current.getBoundingClientRect().top + window.scrollY);
    if (now !== top) setTop(now);
  });
  // Rows that have not been rendered use the average height, so that the layout below hardly shifts.
  const measured = useRef({ sum: 0, count: 0 });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => {
      const { sum, count } = measured.current;
      if (count > 0) return sum / count;
      return window.matchMedia(WIDE).matches ? ROW_PX : CARD_PX;
    },
    measureElement: (row: HTMLTableRowElement) => {
      const { height } = row.getBoundingClientRect();
      measured.current.sum += height;
      measured.current.count += 1;
      return height;
    },
    getItemKey: (index) => rowId(rows[index]!),
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
    rangeExtractor: (range) => withFocused(range, focused),
  });
  const items: ReactNode[] = [];
  let end = top;
  for (const { index, key, start, end: itemEnd } of rendersAll ? [] : virtualizer.getVirtualItems()) {
    if (start > end) items.push(<Gap key={`before ${key}`} height={start - end} />);
    items.push(
      <DataTableRow
        key={`${key}`}
        ref={virtualizer.measureElement}
        data-index={index}
        aria-rowindex={index + FIRST_INDEX}
        // Not reset on blur, or the row that the focus moves to would be removed as well.
        onFocus={() => setFocused(index)}
        row={rows[index]!}
        columns={columns}
        look={lookOf?.(rows[index]!)}
      />,
    );
    end = itemEnd;
  }
  const rest = top + virtualizer.getTotalSize() - end;
  return (
    <tbody ref={body} role="rowgroup" className={bodyStyle}>
      {rendersAll
        ? rows.map((row, index) => (
            <DataTableRow
              key={rowId(row)}
              data-index={index}
              aria-rowindex={index + FIRST_INDEX}
              row={row}
              columns={columns}
              look={lookOf?.(row)}
            />
          ))
        : items}
      {!rendersAll && rest > 0 && <Gap key="after" height={rest} />}
    </tbody>
  );
}

const Gap = ({ height }: { height: number }) => (
  <tr aria-hidden className="border-0! max-md:block">
    <td className="p-0 max-md:block" colSpan={99} style={{ height }} />
  </tr>
);

/** With neighbours, because the next Tab in either direction moves to one of them. */
function withFocused(range: Range, focused: number | null): number[] {
  const visible = defaultRangeExtractor(range);
  if (focused === null) return visible;
  const nearFocus = FOCUS_OFFSETS.map((step) => focused + step).filter((index) => index >= 0 && index < range.count);
  return [...new Set([...visible, ...nearFocus])].sort((a, b) => a - b);
}
const FOCUS_OFFSETS = [-2, -1, 0, 1, 2];

/** True while the page is printed, and after the browser's search was opened. */
function useRendersAll(): boolean {
  const [printing, setPrinting] = useState(false);
  const [searching, setSearching] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // Synchronously: the page is printed in its state when the listener returns.
    window.addEventListener('beforeprint', () => flushSync(() => setPrinting(true)), { signal });
    window.addEventListener('afterprint', () => setPrinting(false), { signal });
    window.addEventListener(
      'keydown',
      ({ key, ctrlKey, metaKey }) => {
        if (key === 'F3' || ((ctrlKey || metaKey) && key.toLowerCase() === 'f')) flushSync(() => setSearching(true));
      },
      { signal },
    );
    return () => controller.abort();
  }, []);
  return printing || searching;
}

/**
 * Fixes the column widths, which would change with every rendered row; they are measured again when the table's width
 * changes, and when a row overflows.
 */
function useFixedColumns(body: RefObject<HTMLTableSectionElement | null>): void {
  const measureAgain = useRef(() => {});
  /** Cells that still overflow after a new measurement, so that they do not cause another. */
  const tooWide = useRef(new WeakSet<Element>());
  useLayoutEffect(() => {
    const table = body.current?.closest('table');
    if (!table) return;
    const headers = [...table.querySelectorAll('th')];
    const release = () => {
      table.style.tableLayout = '';
      for (const header of headers) header.style.width = '';
    };
    let width = 0;
    const fixWidths = () => {
      if (table.offsetWidth === width) return;
      release();
      width = table.offsetWidth;
      if (!window.matchMedia(WIDE).matches) return;
      const shares = headers.map((header) => `${(header.offsetWidth / width) * 100}%`);
      headers.forEach((header, index) => {
        header.style.width = shares[index] ?? '';
      });
      table.style.tableLayout = 'fixed';
    };
    measureAgain.current = () => {
      width = 0;
      fixWidths();
    };
    fixWidths();
    const observer = new ResizeObserver(fixWidths);
    observer.observe(table);
    return () => {
      observer.disconnect();
      release();
    };
  }, [body]);
  useLayoutEffect(() => {
    const cells = [...(body.current?.querySelectorAll('td') ?? [])].filter((cell) => !tooWide.current.has(cell));
    const overflowing = cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
    if (overflowing.length === 0) return;
    for (const cell of overflowing) tooWide.current.add(cell);
    measureAgain.current();
  });
}
