import { Skeleton } from '../../ui/skeleton.tsx';

/** In the place of the card fields until they are ready, and as high, so that nothing below moves. */
export const CardFieldsSkeleton = () => (
  <div role="status" className="grid content-start gap-3">
    <span className="sr-only">Loading the card fields</span>
    <Skeleton className="h-[4.95rem]" />
    <Skeleton className="h-[4.95rem]" />
  </div>
);
