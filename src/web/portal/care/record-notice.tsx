'use client';
import { useQuery } from '@tanstack/react-query';
import type { PatientView } from '#contract/patients.ts';
import { Card } from '#web/ui/card.tsx';
import { Link } from '#web/ui/link.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { CareNotice } from './care-notice.tsx';

/** What staff have to know first about a record: that it was merged into another one, or that care is ending. */
export function RecordNotice({ patient }: { patient: PatientView }) {
  return patient.merged_into ? <MergedNotice into={patient.merged_into} /> : <CareNotice patient={patient} />;
}

function MergedNotice({ into }: { into: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.patients.get.queryOptions({ id: into }));
  return (
    <Card aria-label="Merged record" className="mb-5 px-4 py-3">
      This record was merged into{' '}
      <Link
        href={`/patients/${into}`}
        className="rounded-sm font-medium text-accent-ink underline decoration-accent/40 underline-offset-3 wrap-anywhere hover:decoration-current"
      >
        {data ? nameOfPatient(data) : 'another one'}
      </Link>
      .
    </Card>
  );
}
