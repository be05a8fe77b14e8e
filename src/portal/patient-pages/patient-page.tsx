import type { ReactNode } from 'react';
import { LogoMark } from '#portal/ui/logo.tsx';

type PatientPageProps = {
  clinic: string;
  /** What the foot assures the patient of. */
  footnote?: string;
  children: ReactNode;
};

/** The frame of a page for patients: whose page it is on top, a quiet line at the foot. */
export function PatientPage({
  clinic,
  footnote = `${clinic} never sees your card number.`,
  children,
}: PatientPageProps) {
  return (
    <>
      <header className="mb-6 flex items-center gap-2.5">
        <LogoMark className="size-7 shrink-0" />
        <span className="text-base font-semibold">{clinic}</span>
      </header>
      <main className="flex-1">{children}</main>
      <footer className="mt-10 text-center text-xs text-balance text-muted">Secured by Carelane. {footnote}</footer>
    </>
  );
}
