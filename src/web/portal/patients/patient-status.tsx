import type { PatientView } from '#contract/patients.ts';
import { Badge } from '#web/ui/badge.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';

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
