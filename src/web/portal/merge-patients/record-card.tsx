import type { ReactNode } from 'react';
import type { PatientView } from '#contract/patients.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { Link } from '#web/ui/link.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { PatientStatus } from '../patients/patient-labels.tsx';
import { valueText } from './merge-labels.ts';

type RecordCardProps = {
  title: string;
  description: string;
  /** Null before it is chosen, undefined while it loads. */
  patient: PatientView | null | undefined;
  /** Shown before it is chosen. */
  empty?: ReactNode;
};

/** One of the two records, with what identifies the patient. */
export function RecordCard({ title, description, patient, empty }: RecordCardProps) {
  return (
    <Card aria-label={title} className="min-w-0">
      <CardHeader title={title} description={description} actions={patient && <PatientStatus patient={patient} />} />
      {patient === null ? empty : <div className="p-4">{patient ? <Identity patient={patient} /> : <Loading />}</div>}
    </Card>
  );
}

function Identity({ patient }: { patient: PatientView }) {
  return (
    <>
      {/* In a tab of its own, so that the choices stay. */}
      <Link
        href={`/patients/${patient.id}`}
        target="_blank"
        className="mb-2 inline-block rounded-sm py-0.5 font-medium wrap-anywhere hover:underline"
      >
        {nameOfPatient(patient)}
      </Link>
      <dl className="grid gap-1.5">
        <Row term="Date of birth">{valueText(patient, 'birth_date')}</Row>
        <Row term="Chart number">{valueText(patient, 'external_id')}</Row>
        <Row term="Email">{valueText(patient, 'email')}</Row>
        <Row term="Phone">{valueText(patient, 'phone_number')}</Row>
        <Row term="Added">
          <DateTime value={patient.created_at} shape="date" />
        </Row>
        <Row term="Sign-in">{patient.can_sign_in ? 'Can sign in' : 'Cannot sign in'}</Row>
      </dl>
    </>
  );
}

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3">
      <dt className="text-muted">{term}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

const BARS = ['w-40', 'w-52', 'w-44', 'w-56', 'w-48', 'w-36', 'w-40'];

/** As tall as a record whose details have one line each. */
function Loading() {
  return (
    <div role="status" className="grid gap-3.5 py-1">
      <span className="sr-only">Loading…</span>
      {BARS.map((width, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity
        <Skeleton key={row} className={`h-3.5 max-w-full ${width}`} />
      ))}
    </div>
  );
}
