import dynamic from 'next/dynamic';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CardFieldsSkeleton } from './card-fields-skeleton.tsx';

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
