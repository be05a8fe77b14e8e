import type { PatientView } from '#contract/patients.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';

/** A patient's name in a list of other records, where the id is known before the name. */
export function PatientName({ name }: { name: string | undefined }) {
  if (name) return name;
  return (
    <>
      {/* Inline: a block would shift the content below once the name is loaded. */}
      <span className="inline-block align-middle">
        <Skeleton className="h-3.5 w-28" />
      </span>
      <span className="sr-only">Patient</span>
    </>
  );
}

/** A patient's status. A patient whose care is ending is still active in the API, but no longer for staff. */
export function PatientStatus({ patient }: { patient: PatientView }) {
  if (patient.status === 'archived' || !patient.care_ending_at)
    return <StatusBadge kind="patient" status={patient.status} />;
  return (
    <Badge tone="warn" dot>
      Ending care
    </Badge>
  );
}
