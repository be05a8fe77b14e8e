/** A grey bar where text will be. Put `role="status"` with words on the region, not on each bar. */
export function Skeleton({ className = 'h-3.5 w-full' }: { className?: string }) {
  return <span aria-hidden className={`block animate-pulse rounded-md bg-line ${className}`} />;
}
