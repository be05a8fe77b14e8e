import type { ReactNode } from 'react';
import { LogoMark } from '#portal/ui/logo.tsx';

type PatientPageProps = { clinic: string; children: ReactNode };

/** The frame of a page for patients: whose page it is on top, a quiet line at the foot. */
export function PatientPage({ clinic, children }: PatientPageProps) {
  return (
    <>
      <header className="mb-6 flex items-center gap-2.5">
        <LogoMark className="size-7" />
        <span className="text-base font-semibold">{clinic}</span>
      </header>
      <main className="flex-1">{children}</main>
      <footer className="mt-10 text-center text-xs text-muted">
        Secured by Carelane. {clinic} never sees your card number.
      </footer>
    </>
  );
}
