import { AuthError } from '#sdk/index.ts';
import { FormError } from '#web/ui/form-error.tsx';
import { ApiError } from './steps/api-error.ts';

const UNKNOWN = 'Something went wrong. Please try again.';

function read(error: unknown): { code?: string | undefined; message: string; requestId?: string | undefined } {
  if (error instanceof AuthError) return { code: error.code, message: error.message, requestId: error.requestId };
  if (error instanceof ApiError)
    return { code: error.code, message: error.message, requestId: error.details.requestId };
  // Stripe's errors are plain objects.
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return { code, message: message ?? UNKNOWN };
}

/** Shows an error: its message for the patient, and its code for developers. */
export function ErrorMessage({ error }: { error: unknown }) {
  if (!error) return null;
  const { code, message, requestId } = read(error);
  return (
    <FormError>
      <span className="min-w-0">
        {message}
        {code && (
          <span className="mt-1 block font-mono text-xs wrap-anywhere opacity-90">
            {code}
            {requestId && ` · ${requestId}`}
          </span>
        )}
      </span>
    </FormError>
  );
}
