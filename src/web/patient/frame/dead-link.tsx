import { RotateCw, TriangleAlert } from 'lucide-react';
import { faultSentence, readApiFaults } from '#web/ui/api-faults.ts';
import { BrokenLink } from '#web/ui/broken-link.tsx';
import { Button } from '#web/ui/button.tsx';

/** The server names the clinic where the link does, though it opens nothing. */
export const clinicOf = (error: unknown): string | null => {
  const clinic = readApiFaults(error)[0].meta?.clinic;
  return typeof clinic === 'string' ? clinic : null;
};

type DeadLinkProps = {
  title: string;
  /** The refusal of the link, or none for one that is not whole. */
  error?: unknown;
  /** What may have happened to it. */
  why: string;
  /** What to ask the clinic for: "a new one". */
  askFor: string;
};

/** A patient's link that leads nowhere. */
export function DeadLink({ title, error, why, askFor }: DeadLinkProps) {
  const clinic = clinicOf(error);
  return (
    <BrokenLink
      clinic={clinic}
      title={title}
      what={why}
      next={`Open the whole link from your message, or ask ${clinic ?? 'your clinic'} ${askFor}.`}
    />
  );
}

/** A patient's link that could not be opened just now. */
export function LinkTrouble({ title, error, onRetry }: { title: string; error: unknown; onRetry: () => void }) {
  return (
    <BrokenLink
      icon={TriangleAlert}
      clinic={clinicOf(error)}
      title={title}
      what={faultSentence(error)}
      next="Your link is still good."
      action={
        <Button onClick={onRetry}>
          <RotateCw aria-hidden />
          Try again
        </Button>
      }
    />
  );
}
