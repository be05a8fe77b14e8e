'use client';
import './globals.css';
import { PageError } from '#web/ui/page-error.tsx';

/** The last resort: the root layout itself failed, so this brings its own document. */
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
