import type { AppointmentView } from '#contract/scheduling.ts';
import type { Column } from '#portal/ui/data-table.tsx';
import { DateTime } from '#portal/ui/date-time.tsx';
import { RowLink } from '#portal/ui/row-link.tsx';
import { StatusBadge } from '#portal/ui/status-badge.tsx';
import { PatientName } from '../patients/patient-name.tsx';
import { AppointmentActions } from './appointment-actions.tsx';

/** An appointment with its patient's name, once that is known. */
export type AppointmentRow = AppointmentView & { patientName?: string | undefined };

const when = (shape: 'datetime' | 'time'): Column<AppointmentRow> => ({
  header: shape === 'time' ? 'Time' : 'When',
  cell: (visit) => (
    <DateTime value={visit.from_date} shape={shape} stacked={shape === 'datetime'} calendarZone={visit.time_zone} />
  ),
});

const patient: Column<AppointmentRow> = {
  header: 'Patient',
  phone: 'title',
  cell: (visit) => (
    <RowLink href={`/patients/${visit.patient_id}`}>
      <PatientName name={visit.patientName} />
    </RowLink>
  ),
};

const what: Column<AppointmentRow> = {
  header: 'Visit',
  cell: (visit) => (
    <span className="md:grid">
      {visit.appointment_type} <span className="text-muted md:text-[13px]">{visit.duration_minutes} min</span>
    </span>
  ),
};

const rest: Column<AppointmentRow>[] = [
  { header: 'With', cell: (visit) => visit.practitioner_name ?? visit.calendar },
  { header: 'Status', phone: 'corner', cell: (visit) => <StatusBadge kind="appointment" status={visit.status} /> },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (visit) => <AppointmentActions appointment={visit} />,
  },
];

export const APPOINTMENT_COLUMNS = [when('datetime'), patient, what, ...rest];
export const TODAY_COLUMNS = [when('time'), patient, what, ...rest];
/** On one patient's page: whose visit it is goes without saying. */
export const PATIENT_VISIT_COLUMNS: Column<AppointmentRow>[] = [{ ...what, phone: 'title' }, when('datetime'), ...rest];
