import type { ReactNode } from 'react';
import { ClinicName } from '#web/ui/clinic-look.tsx';
import { LogoMark } from '#web/ui/logo.tsx';

type PatientPageProps = {
  /** Undefined when the link names no clinic. */
  clinic: string | undefined;
  /** The assurance in the footer. */
  footnote?: string;
  children: ReactNode;
};

/** The frame of a patient page: the clinic on top, a line in the footer. */
export function PatientPage({
  clinic,
  footnote = `${clinic} never sees your card number.`,
  children,
}: PatientPageProps) {
  return (
    <>
      <header className="mb-6 flex items-center gap-2.5">
        <LogoMark className="size-7 shrink-0" />
        <ClinicName known={clinic || null} />
      </header>
      <main className="flex-1">{children}</main>
      <footer className="mt-10 text-center text-xs text-balance text-muted">Secured by Carelane. {footnote}</footer>
    </>
  );
}
