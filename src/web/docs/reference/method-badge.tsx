import { cn } from '#web/ui/cn.ts';

const TONES: Record<string, string> = {
  GET: 'bg-info-soft text-info-ink',
  POST: 'bg-good-soft text-good-ink',
  PATCH: 'bg-warn-soft text-warn-ink',
  DELETE: 'bg-danger-soft text-danger-ink',
};

/**
 * The badge of an HTTP method.
 * @param className sets the width; by default the badge is as wide as its text
 */
export function MethodBadge({ method, className = 'px-1.5' }: { method: string; className?: string }) {
  return (
    <span className={cn('rounded-sm font-mono text-[11px]/5 font-semibold', TONES[method], className)}>{method}</span>
  );
}
