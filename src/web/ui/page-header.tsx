import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from './link.tsx';

type PageHeaderProps = {
  title: ReactNode;
  description?: ReactNode;
  /** Badges next to the title. */
  meta?: ReactNode;
  back?: { href: string; label: string };
  actions?: ReactNode;
};

export function PageHeader({ title, description, meta, back, actions }: PageHeaderProps) {
  return (
    <header className="mb-5">
      {back && (
        <Link
          href={back.href}
          className="-ml-1 mb-1 inline-flex min-h-6 items-center gap-0.5 rounded-sm text-[13px] text-muted hover:text-ink print:hidden"
        >
          <ChevronLeft aria-hidden className="size-4" />
          {back.label}
        </Link>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
            {meta}
          </div>
          {description && <p className="mt-0.5 text-muted">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div>}
      </div>
    </header>
  );
}
