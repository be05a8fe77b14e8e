import type { PatientView } from '#contract/patients.ts';
import { Badge } from '#web/ui/badge.tsx';
import { cn } from '#web/ui/cn.ts';
import { pluralize } from '#web/ui/count-label.ts';
import { RowLink } from '#web/ui/data-table-row.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { formatPlainDate } from '#web/ui/format-time.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { bornLabel, type PatientLabel } from './patient.ts';

/** A patient's name in a list of other records, where the id is known before the name. */
export function PatientName({ patient }: { patient: PatientLabel | undefined }) {
  if (patient) return patient.name;
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

/** A patient's date of birth below or beside the name; renders nothing without one. */
export function BirthDate({ date, className }: { date: string | null | undefined; className?: string }) {
  const label = bornLabel(date ?? null);
  return label && <span className={cn('text-[13px] text-muted tabular-nums', className)}>{label}</span>;
}

/** A phone number that a phone or a computer with one can call. */
export function PhoneLink({ number, className }: { number: string; className?: string }) {
  return (
    <a
      href={`tel:${number}`}
      className={cn(
        '-my-0.5 inline-block rounded-sm py-0.5 whitespace-nowrap tabular-nums text-accent-ink hover:underline',
        className,
      )}
    >
      {formatPhone(number)}
    </a>
  );
}

type PatientCellProps = {
  /** The row's page, to which the name links. */
  href: string;
  patient: PatientLabel | undefined;
  showsPhone?: boolean;
};

/** A patient in a row of a table. */
export function PatientCell({ href, patient, showsPhone }: PatientCellProps) {
  return (
    <span className="grid justify-items-start">
      <RowLink href={href}>
        <PatientName patient={patient} />
      </RowLink>
      <span className="flex flex-wrap gap-x-2">
        <BirthDate date={patient?.birthDate} />
        {showsPhone && patient?.phone && <PhoneLink number={patient.phone} className="relative text-[13px]" />}
      </span>
    </span>
  );
}

/** Who a patient is and how to reach them, for the head of a page: on a phone, the details are far below. */
export function PatientIdentity({ patient }: { patient: PatientView }) {
  const { birth_date, age, phone_number, external_id } = patient;
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-0.5 tabular-nums">
      <span>
        {birth_date ? `Born ${formatPlainDate(birth_date)} (${pluralize(age ?? 0, 'year')})` : 'No date of birth'}
      </span>
      {phone_number && <PhoneLink number={phone_number} />}
      {external_id && <span className="wrap-anywhere">Chart {external_id}</span>}
    </span>
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
