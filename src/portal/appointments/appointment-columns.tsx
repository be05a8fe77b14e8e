import type { AppointmentView } from '#contract/scheduling.ts';
import { tableColumns } from '#portal/ui/data-table.tsx';
import { DateTime } from '#portal/ui/date-time.tsx';
import { RowLink } from '#portal/ui/row-link.tsx';
import { StatusBadge } from '#portal/ui/status-badge.tsx';
import { PatientName } from '../patients/patient-name.tsx';
import { AppointmentActions } from './appointment-actions.tsx';

/** An appointment with its patient's name, once that is known. */
export type AppointmentRow = AppointmentView & { patientName?: string | undefined };

const column = tableColumns<AppointmentRow>();

const when = (shape: 'datetime' | 'time') =>
  column.accessor('from_date', {
    header: shape === 'time' ? 'Time' : 'When',
    cell: ({ row }) => (
      <DateTime
        value={row.original.from_date}
        shape={shape}
        stacked={shape === 'datetime'}
        calendarZone={row.original.time_zone}
      />
    ),
  });

const patient = column.accessor('patient_id', {
  header: 'Patient',
  meta: { phone: 'title' },
  cell: ({ row, getValue }) => (
    <RowLink href={`/patients/${getValue()}`}>
      <PatientName name={row.original.patientName} />
    </RowLink>
  ),
});

const what = (phone?: 'title') =>
  column.accessor('appointment_type', {
    header: 'Visit',
    meta: { ...(phone && { phone }) },
    cell: ({ row, getValue }) => (
      <span className="md:grid">
        {getValue()} <span className="text-muted md:text-[13px]">{row.original.duration_minutes} min</span>
      </span>
    ),
  });

const rest = [
  column.accessor((row) => row.practitioner_name ?? row.calendar, { id: 'with', header: 'With' }),
  column.accessor('status', {
    header: 'Status',
    meta: { phone: 'corner' },
    cell: ({ getValue }) => <StatusBadge kind="appointment" status={getValue()} />,
  }),
  column.display({
    id: 'actions',
    header: () => <span className="sr-only">Actions</span>,
    meta: { align: 'end', phone: 'menu' },
    cell: ({ row }) => <AppointmentActions appointment={row.original} />,
  }),
];

export const APPOINTMENT_COLUMNS = column.columns([when('datetime'), patient, what(), ...rest]);
export const TODAY_COLUMNS = column.columns([when('time'), patient, what(), ...rest]);
/** On one patient's page: whose visit it is goes without saying. */
export const PATIENT_VISIT_COLUMNS = column.columns([what('title'), when('datetime'), ...rest]);
