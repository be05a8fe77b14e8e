import { Link2Off, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ClinicName } from './clinic-look.tsx';
import { LogoMark } from './logo.tsx';

type BrokenLinkProps = {
  /** Whose link it was, where that is known. */
  clinic?: string | null;
  title: string;
  /** Why, in a sentence. */
  what: ReactNode;
  /** How to go on. */
  next: ReactNode;
  icon?: LucideIcon;
  action?: ReactNode;
};

/** What anybody reads whose link or address leads nowhere: whose it was, why, and how to go on. No number of anything. */
export function BrokenLink({ clinic, title, what, next, icon: Icon = Link2Off, action }: BrokenLinkProps) {
  return (
    <div className="mx-auto w-full max-w-md">
      <header className="mb-6 flex items-center gap-2.5">
        <LogoMark className="size-7 shrink-0" />
        <ClinicName known={clinic} />
      </header>
      <div className="flex flex-col items-center py-10 text-center">
        <span className="mb-4 grid size-14 place-items-center rounded-full bg-neutral-soft text-neutral-ink">
          <Icon aria-hidden className="size-7" />
        </span>
        <h1 className="text-xl font-semibold tracking-tight text-balance">{title}</h1>
        <div role="status">
          <p className="mt-2 max-w-sm text-balance text-muted">{what}</p>
          <p className="mt-3 max-w-sm text-balance font-medium">{next}</p>
        </div>
        {action && <div className="mt-5">{action}</div>}
      </div>
    </div>
  );
}
