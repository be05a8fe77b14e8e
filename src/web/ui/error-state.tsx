import { RotateCw, TriangleAlert } from 'lucide-react';
import { firstErrorMessage, requestIdOf } from './api-errors.ts';
import { Button } from './button.tsx';

type ErrorStateProps = { error: unknown; title?: string; onRetry?: (() => void) | undefined };

/** Shows the error message with the request id for support, and a retry button. */
export function ErrorState({ error, title = 'This could not be loaded', onRetry }: ErrorStateProps) {
  const requestId = requestIdOf(error);
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 grid size-10 place-items-center rounded-full bg-danger-soft text-danger-ink">
        <TriangleAlert aria-hidden className="size-5" />
      </span>
      <p className="font-medium">{title}</p>
      <p className="mt-1 max-w-md text-balance text-muted">{firstErrorMessage(error)}</p>
      {requestId && <p className="mt-1 font-mono text-xs text-muted">{requestId}</p>}
      {onRetry && (
        <Button className="mt-4" onClick={onRetry}>
          <RotateCw aria-hidden />
          Try again
        </Button>
      )}
    </div>
  );
}
