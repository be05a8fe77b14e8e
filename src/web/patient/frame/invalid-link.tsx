import { RotateCw, TriangleAlert } from 'lucide-react';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { BrokenLink } from '#web/ui/broken-link.tsx';
import { Button } from '#web/ui/button.tsx';

/** The clinic's name in the error: the server sends it if the token names a clinic, even when the link is invalid. */
const clinicOf = (error: unknown): string | null => {
  const clinic = readApiErrors(error)[0].meta?.clinic;
  return typeof clinic === 'string' ? clinic : null;
};

type InvalidLinkProps = {
  title: string;
  /** The error of the link; absent when the token is missing. */
  error?: unknown;
  /** The possible reasons. */
  why: string;
  /** The end of "ask your clinic …": "for a new one". */
  askFor: string;
};

/** The page of an invalid patient link. */
export function InvalidLink({ title, error, why, askFor }: InvalidLinkProps) {
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

/** The page of a patient link that could not be opened because of a temporary error. */
export function LinkUnavailable({ title, error, onRetry }: { title: string; error: unknown; onRetry: () => void }) {
  return (
    <BrokenLink
      icon={TriangleAlert}
      clinic={clinicOf(error)}
      title={title}
      what={firstErrorMessage(error)}
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
