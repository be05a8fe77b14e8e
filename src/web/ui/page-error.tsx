'use client';
import { RotateCw, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { EmptyState } from './empty-state.tsx';

type PageErrorProps = { error: Error & { digest?: string }; reset: () => void };

/** Every page loads this component, once per error boundary, so it uses a plain button. */
const BUTTON =
  'inline-flex h-8.5 items-center gap-1.5 rounded-md border border-line bg-raised px-3 text-sm font-medium text-ink shadow-card hover:bg-hover max-md:h-10 [&_svg]:size-4';

/**
 * A page that failed to render. The digest identifies the error in the server's log. Tries again by itself once a lost
 * connection is back.
 */
export function PageError({ error, reset }: PageErrorProps) {
  useEffect(() => {
    // React remembers a script that could not be loaded.
    const retry = () => (error.name === 'ChunkLoadError' ? window.location.reload() : reset());
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, [error, reset]);
  return (
    <div role="alert">
      <h1 className="sr-only">Something went wrong</h1>
      <EmptyState
        icon={TriangleAlert}
        title="Something went wrong on this page"
        description={
          <>
            Nothing was changed. Try again; if it still fails, tell your administrator
            {error.digest ? (
              <>
                {' '}
                this code: <code className="font-mono">{error.digest}</code>
              </>
            ) : null}
            .
          </>
        }
        action={
          <button type="button" onClick={reset} className={BUTTON}>
            <RotateCw aria-hidden />
            Try again
          </button>
        }
      />
    </div>
  );
}
