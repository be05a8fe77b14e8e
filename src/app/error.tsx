'use client';
import { PageError } from '#web/ui/page-error.tsx';

export default function RootError(props: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="grid min-h-dvh place-content-center">
      <PageError {...props} />
    </main>
  );
}
