import type { ReactNode } from 'react';

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="rounded-sm border border-line bg-surface px-1 font-sans text-[11px] leading-4 text-muted">
      {children}
    </kbd>
  );
}
