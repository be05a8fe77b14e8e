import { PageSkeleton } from '#web/ui/page-skeleton.tsx';

export default function Loading() {
  return <PageSkeleton />;
}
