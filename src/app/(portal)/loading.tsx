import { PageSkeleton } from '#web/ui/skeleton.tsx';

export default function Loading() {
  return <PageSkeleton />;
}
