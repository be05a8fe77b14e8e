import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

type EmptyStateProps = { icon?: LucideIcon; title: string; description?: ReactNode; action?: ReactNode };

export function EmptyState({ icon: Icon, title, description, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      {Icon && (
        <span className="mb-3 grid size-10 place-items-center rounded-full bg-neutral-soft text-neutral-ink">
          <Icon aria-hidden className="size-5" />
        </span>
      )}
      <p className="font-medium">{title}</p>
      {description && <p className="mt-1 max-w-sm text-balance text-muted">{description}</p>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}
