import type { AppointmentView } from '#contract/scheduling.ts';
import type { Column } from '#web/ui/data-table.tsx';
import { RowLink, WHERE_TIGHT } from '#web/ui/data-table-row.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import type { PatientLabel } from '../patients/patient.ts';
import { PatientCell } from '../patients/patient-labels.tsx';
import type { Needing } from '../permitted.ts';
import { CANCELED_BECAUSE, ISSUE_LABELS, shownStatus } from './appointment.ts';
import { AppointmentActions } from './appointment-actions.tsx';

/** An appointment with its patient, once that is loaded. */
export type AppointmentRow = AppointmentView & { patient?: PatientLabel | undefined };

export type AppointmentColumn = Column<AppointmentRow> & Needing;

const timeColumn = (shape: 'datetime' | 'time'): AppointmentColumn => ({
  header: shape === 'time' ? 'Time' : 'When',
  phone: 'lead',
  cell: (appointment) => (
    <DateTime value={appointment.from_date} shape={shape} stacked calendarZone={appointment.time_zone} />
  ),
});

const patient: AppointmentColumn = {
  header: 'Patient',
  phone: 'title',
  cell: (appointment) => <PatientCell href={`/appointments/${appointment.id}`} patient={appointment.patient} />,
};

const practitionerOf = (appointment: AppointmentRow) => appointment.practitioner_name ?? appointment.calendar;

const typeColumn = (phone?: 'title'): AppointmentColumn => ({
  header: 'Appointment',
  wraps: true,
  ...(phone && { phone }),
  cell: (appointment) => (
    <span className="md:grid">
      {phone ? (
        <RowLink href={`/appointments/${appointment.id}`}>{appointment.appointment_type}</RowLink>
      ) : (
        appointment.appointment_type
      )}{' '}
      <span className="text-muted md:text-[13px]">
        {appointment.duration_minutes} min<span className={WHERE_TIGHT}> with {practitionerOf(appointment)}</span>
      </span>
      {appointment.scheduling_issue && (
        <span className="block text-[13px] text-warn-ink">{ISSUE_LABELS[appointment.scheduling_issue]}</span>
      )}
    </span>
  ),
});

/** Columns that other lists of appointments have too. */
export const TIME_COLUMN = timeColumn('time');
export const TYPE_COLUMN = typeColumn();
export const WITH_COLUMN: AppointmentColumn = { header: 'With', wraps: true, roomy: true, cell: practitionerOf };

const otherColumns: AppointmentColumn[] = [
  WITH_COLUMN,
  {
    header: 'Status',
    phone: 'corner',
    cell: (appointment) => (
      <span className="grid justify-items-start gap-0.5 max-md:justify-items-end">
        <StatusBadge kind="appointment" status={shownStatus(appointment)} />
        {appointment.canceled_because && (
          <span className="text-[13px] text-muted">{CANCELED_BECAUSE[appointment.canceled_because].label}</span>
        )}
      </span>
    ),
  },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (appointment) => <AppointmentActions appointment={appointment} patient={appointment.patient?.name} />,
  },
];

export const APPOINTMENT_COLUMNS = [timeColumn('datetime'), patient, TYPE_COLUMN, ...otherColumns];
/** Columns for one patient's page, where the patient column is redundant. */
export const PATIENT_APPOINTMENT_COLUMNS: AppointmentColumn[] = [
  typeColumn('title'),
  timeColumn('datetime'),
  ...otherColumns,
];
