'use client';
import './globals.css';
import { PageError } from '#web/ui/page-error.tsx';

/** Replaces the whole document when the root layout fails. */
export default function GlobalError(props: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong · Carelane</title>
        <main className="grid min-h-dvh place-content-center">
          <PageError {...props} />
        </main>
      </body>
    </html>
  );
}
