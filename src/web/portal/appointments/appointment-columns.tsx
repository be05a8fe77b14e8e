import type { AppointmentView } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Column } from '#web/ui/data-table.tsx';
import { RowLink, WHERE_TIGHT } from '#web/ui/data-table-row.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { PatientName } from '../patients/patient-name.tsx';
import { AppointmentActions } from './appointment-actions.tsx';
import { ISSUE_LABELS } from './issue-labels.ts';

/** An appointment with its patient's name, once that is loaded. */
export type AppointmentRow = AppointmentView & { patientName?: string | undefined };

const when = (shape: 'datetime' | 'time'): Column<AppointmentRow> => ({
  header: shape === 'time' ? 'Time' : 'When',
  phone: 'lead',
  cell: (visit) => <DateTime value={visit.from_date} shape={shape} stacked calendarZone={visit.time_zone} />,
});

const patient: Column<AppointmentRow> = {
  header: 'Patient',
  phone: 'title',
  cell: (visit) => (
    <RowLink href={`/appointments/${visit.id}`}>
      <PatientName name={visit.patientName} />
    </RowLink>
  ),
};

const withWhom = (visit: AppointmentRow) => visit.practitioner_name ?? visit.calendar;

const what = (phone?: 'title'): Column<AppointmentRow> => ({
  header: 'Visit',
  wraps: true,
  ...(phone && { phone }),
  cell: (visit) => (
    <span className="md:grid">
      {phone ? <RowLink href={`/appointments/${visit.id}`}>{visit.appointment_type}</RowLink> : visit.appointment_type}{' '}
      <span className="text-muted md:text-[13px]">
        {visit.duration_minutes} min<span className={WHERE_TIGHT}> with {withWhom(visit)}</span>
      </span>
      {visit.scheduling_issue && (
        <span className="block text-[13px] text-warn-ink">{ISSUE_LABELS[visit.scheduling_issue]}</span>
      )}
    </span>
  ),
});

/** Reasons of cancellations that no person made. */
const BECAUSE = {
  gone_at_provider: `Not in ${SCHEDULING_PROVIDER.name} any more`,
  former_account: `In a former ${SCHEDULING_PROVIDER.name} account`,
};

const rest: Column<AppointmentRow>[] = [
  { header: 'With', wraps: true, roomy: true, cell: withWhom },
  {
    header: 'Status',
    phone: 'corner',
    cell: (visit) => (
      <span className="grid justify-items-start gap-0.5 max-md:justify-items-end">
        <StatusBadge kind="appointment" status={visit.status} />
        {visit.canceled_because && <span className="text-[13px] text-muted">{BECAUSE[visit.canceled_because]}</span>}
      </span>
    ),
  },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (visit) => <AppointmentActions appointment={visit} />,
  },
];

export const APPOINTMENT_COLUMNS = [when('datetime'), patient, what(), ...rest];
export const TODAY_COLUMNS = [when('time'), patient, what(), ...rest];
/** Columns for one patient's page, where the patient column is redundant. */
export const PATIENT_APPOINTMENT_COLUMNS: Column<AppointmentRow>[] = [what('title'), when('datetime'), ...rest];
