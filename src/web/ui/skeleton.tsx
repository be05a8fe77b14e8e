/** A grey bar in place of text. Put `role="status"` with a text on the region, not on each bar. */
export function Skeleton({ className = 'h-3.5 w-full' }: { className?: string }) {
  return <span aria-hidden className={`block animate-pulse rounded-md bg-line ${className}`} />;
}
