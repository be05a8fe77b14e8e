import { PageSkeleton } from '#portal/ui/page-skeleton.tsx';

export default function Loading() {
  return <PageSkeleton />;
}
