import { Card } from './card.tsx';
import { DataTableSkeleton } from './data-table-skeleton.tsx';
import { Skeleton } from './skeleton.tsx';

/** Placeholder of a page: a title and a list. */
export function PageSkeleton() {
  return (
    <>
      <Skeleton className="mb-5 h-7 w-40" />
      <Card className="overflow-hidden">
        <DataTableSkeleton columns={4} />
      </Card>
    </>
  );
}
