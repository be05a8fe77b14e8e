import { cn } from '#portal/ui/cn.ts';

const TONES: Record<string, string> = {
  GET: 'bg-info-soft text-info-ink',
  POST: 'bg-good-soft text-good-ink',
  PATCH: 'bg-warn-soft text-warn-ink',
  DELETE: 'bg-danger-soft text-danger-ink',
};

export function MethodBadge({ method, className }: { method: string; className?: string }) {
  return (
    <span className={cn('rounded-sm px-1.5 font-mono text-[11px]/5 font-semibold', TONES[method], className)}>
      {method}
    </span>
  );
}
