import { RotateCw } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { ErrorMessage } from './error-message.tsx';

type LoadingProps = { error: unknown; what: string; onRetry: () => void };

/** A placeholder while data loads, or the error with a retry button. */
export function Loading({ error, what, onRetry }: LoadingProps) {
  if (error)
    return (
      <div className="grid justify-items-start gap-3">
        <ErrorMessage error={error} />
        <Button onClick={onRetry}>
          <RotateCw aria-hidden />
          Try again
        </Button>
      </div>
    );
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">Loading {what}…</span>
      <Skeleton className="h-10" />
      <Skeleton className="h-24" />
      <Skeleton className="h-10" />
    </div>
  );
}
