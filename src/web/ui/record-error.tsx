import type { LucideIcon } from 'lucide-react';
import { readApiErrors } from './api-errors.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { Link } from './link.tsx';
import { PageHeader } from './page-header.tsx';

/** A truncated address and one without a record look the same to the reader. */
const NOT_FOUND_CODES = ['not_found', 'invalid_parameter'];

type RecordErrorProps = {
  error: unknown;
  /** The kind of record, as in "There is no such patient". */
  what: string;
  icon: LucideIcon;
  back: { href: string; label: string };
  /** How else to find it. */
  hint: string;
  onRetry: () => void;
};

/** Replaces the page of a single record that does not exist or could not be loaded. */
export function RecordError({ error, what, icon, back, hint, onRetry }: RecordErrorProps) {
  return (
    <>
      <PageHeader title={what.charAt(0).toUpperCase() + what.slice(1)} back={back} />
      {NOT_FOUND_CODES.includes(readApiErrors(error)[0].code) ? (
        <EmptyState
          icon={icon}
          title={`There is no such ${what}`}
          description={`The address may be incomplete. ${hint}`}
          action={
            <Button asChild>
              <Link href={back.href}>All {back.label.toLowerCase()}</Link>
            </Button>
          }
        />
      ) : (
        <ErrorState error={error} title={`This ${what} cannot be shown`} onRetry={onRetry} />
      )}
    </>
  );
}
