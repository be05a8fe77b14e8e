import { Link2Off, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ClinicName } from './clinic-look.tsx';
import { LogoMark } from './logo.tsx';

type BrokenLinkProps = {
  /** The clinic that the link belongs to, if known. */
  clinic?: string | null;
  title: string;
  /** The reason, in one sentence. */
  what: ReactNode;
  /** What the reader can do next. */
  next: ReactNode;
  icon?: LucideIcon;
  action?: ReactNode;
};

/**
 * The page for a link or address that does not work: the clinic, the reason and the next step. It shows no status code.
 */
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
