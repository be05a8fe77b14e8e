'use client';
import { useEffect } from 'react';
import type { PatientView } from '#contract/patients.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { toast } from '#web/ui/toast.ts';
import { useMay } from '../me.tsx';
import { CareProgress } from './care-progress.tsx';
import { useArchive, useCare, useRefreshCare } from './use-care.ts';

/** Shows the progress on the page of a patient whose care is ending; refreshes the page once it has ended. */
export function CareNotice({ patient }: { patient: PatientView }) {
  const { care } = useCare(patient.id);
  const archive = useArchive(patient.id);
  const refresh = useRefreshCare();
  const mayArchive = useMay('patients:write');
  const hasEnded = care !== undefined && care.ending === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when care has ended
  useEffect(() => {
    if (hasEnded) void refresh();
  }, [hasEnded]);
  if (!care?.ending) return null;
  return (
    <Card aria-label="Care is ending" className="mb-5">
      <CardHeader
        title="Care is ending"
        description="Nothing new can be booked or begun. The patient is archived once everything has ended."
        actions={
          mayArchive &&
          care.ending.problems.length > 0 && (
            <Button
              size="sm"
              pending={archive.isPending}
              onClick={() => archive.mutate(true, { onError: (error) => toast.error(firstErrorMessage(error)) })}
            >
              Try again
            </Button>
          )
        }
      />
      <CardBody>
        <CareProgress care={care} />
      </CardBody>
    </Card>
  );
}
