import { cn } from './cn.ts';

/** A grey bar where text will be. Put `role="status"` with words on the region, not on each bar. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn('block h-3.5 animate-pulse rounded-sm bg-line', className)} />;
}
