import { Card } from './card.tsx';

/** A grey bar in place of text. Put `role="status"` with a text on the region, not on each bar. */
export function Skeleton({ className = 'h-3.5 w-full' }: { className?: string }) {
  return <span aria-hidden className={`block animate-pulse rounded-md bg-line ${className}`} />;
}

const ROWS = ['w-40', 'w-52', 'w-36', 'w-48', 'w-44', 'w-56'];

/** Placeholder of a table while its rows load, as tall as a short list to avoid layout shift. */
export function DataTableSkeleton({ columns }: { columns: number }) {
  return (
    <div role="status" className="divide-y divide-line">
      <span className="sr-only">Loading…</span>
      <div aria-hidden className="h-8 bg-sunken/60 max-md:hidden" />
      {ROWS.map((width) => (
        <div key={width} className="flex items-center gap-8 px-4 py-3">
          <Skeleton className={`h-3.5 ${width}`} />
          {Array.from({ length: columns - 1 }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity
            <Skeleton key={column} className="h-3.5 flex-1 max-md:hidden" />
          ))}
        </div>
      ))}
    </div>
  );
}

/**
 * Placeholder of a page: a title and a list.
 * @param title heading for screen readers until the page has its own, such as the kind of record
 */
export function PageSkeleton({ title }: { title?: string }) {
  return (
    <>
      {title && <h1 className="sr-only">{title}</h1>}
      <Skeleton className="mb-5 h-7 w-40" />
      <Card className="overflow-hidden">
        <DataTableSkeleton columns={4} />
      </Card>
    </>
  );
}
