import { LoaderCircle } from 'lucide-react';

/** Status text while the outcome of an action is unknown. Always mounted, so that screen readers announce changes. */
export function OutcomeStatus({ message: words }: { message: string | null | undefined }) {
  return (
    <p role="status" className="flex items-start gap-2 rounded-md bg-info-soft px-3 py-2 text-info-ink empty:hidden">
      {words && (
        <>
          <LoaderCircle aria-hidden className="mt-0.5 size-4 shrink-0 animate-spin" />
          {words}
        </>
      )}
    </p>
  );
}
