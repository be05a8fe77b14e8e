import type { ReactNode } from 'react';
import { ClinicFooter } from '#web/patient/frame/clinic-footer.tsx';
import { ClinicLookProvider } from '#web/ui/links/clinic-look-provider.tsx';
import { OfflinePage } from '#web/ui/offline-page.tsx';

/** The layout of pages that a patient opens from a link: centred, without the portal's navigation. */
export default function PatientLayout({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-lg flex-col px-4 py-6 md:py-12">
      <ClinicLookProvider>
        {children}
        <ClinicFooter />
      </ClinicLookProvider>
      <OfflinePage />
    </div>
  );
}
