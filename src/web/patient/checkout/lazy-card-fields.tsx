import dynamic from 'next/dynamic';
import { Skeleton } from '../../ui/skeleton.tsx';

/** In the place of the card fields until they are ready, and as high, so that nothing below moves. */
export const CardFieldsSkeleton = () => (
  <div role="status" className="grid content-start gap-3">
    <span className="sr-only">Loading the card fields</span>
    <Skeleton className="h-[4.95rem]" />
    <Skeleton className="h-[4.95rem]" />
  </div>
);

/** `CardFields`, which loads when a page shows it. */
export const LazyCardFields = dynamic(() => import('./card-fields.tsx').then((module) => module.CardFields), {
  ssr: false,
  loading: () => (
    <div className="grid gap-4">
      <CardFieldsSkeleton />
      <Skeleton className="h-11" />
    </div>
  ),
});
