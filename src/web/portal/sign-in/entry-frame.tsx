import type { ReactNode } from 'react';
import { Wordmark } from '#web/ui/logo.tsx';
import { OfflinePage } from '#web/ui/offline-page.tsx';

/** Layout of staff pages outside the portal: sign-in, invitation, password reset. */
export function EntryFrame({
  title,
  description,
  children,
}: {
  title: string;
  description: ReactNode;
  children: ReactNode;
}) {
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <Wordmark />
        <h1 className="mt-8 text-xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 mb-6 text-muted">{description}</p>
        {children}
        <OfflinePage />
      </div>
    </main>
  );
}
