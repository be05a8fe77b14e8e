import { LoaderCircle } from 'lucide-react';

/** Said while nobody knows yet what came of a press: words, or nothing. Always there, so that screen readers notice. */
export function Checking({ words }: { words: string | null | undefined }) {
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
