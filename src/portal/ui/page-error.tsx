'use client';
import { RotateCw, TriangleAlert } from 'lucide-react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';

type PageErrorProps = { error: Error & { digest?: string }; reset: () => void };

/** A page that broke while rendering. The digest finds the details in the server's log. */
export function PageError({ error, reset }: PageErrorProps) {
  return (
    <div role="alert">
      <h1 className="sr-only">Something went wrong</h1>
      <EmptyState
        icon={TriangleAlert}
        title="Something went wrong on this page"
        description={
          <>
            Nothing was changed. Try again; if it stays, tell your administrator
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
          <Button onClick={reset}>
            <RotateCw aria-hidden />
            Try again
          </Button>
        }
      />
    </div>
  );
}
