'use client';
import { CalendarClock } from 'lucide-react';
import type { ReactNode } from 'react';
import { DataTable } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { usePermitted } from '../me.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import type { AppointmentColumn, AppointmentRow } from './appointment-columns.tsx';
import { type AppointmentFilter, useAppointments, WHOLE_DAY } from './use-appointments.ts';

type AppointmentsTableProps = {
  label: string;
  /** Shown as far as their permissions are held. */
  columns: AppointmentColumn[];
  filter: AppointmentFilter;
  /** Number of rows per page; below `WHOLE_DAY` only these are shown, without a footer to load more. */
  size?: number;
  toolbar?: ReactNode;
  empty: { title: string; description?: string; action?: ReactNode };
};

export function AppointmentsTable({ filter, empty, size, columns, ...table }: AppointmentsTableProps) {
  const permitted = usePermitted();
  const { rows, more, ...list } = useAppointments(filter, size);
  const labelOf = usePatientLabels(filter.patient_id ? [] : rows?.map((appointment) => appointment.patient_id));
  return (
    <DataTable<AppointmentRow>
      {...table}
      {...list}
      columns={permitted(columns)}
      rows={(labelOf ? rows : undefined)?.map((appointment) => ({
        ...appointment,
        patient: labelOf?.(appointment.patient_id),
      }))}
      rowId={(appointment) => appointment.id}
      {...((!size || size >= WHOLE_DAY) && { more: { ...more, noun: 'appointment' } })}
      empty={<EmptyState icon={CalendarClock} {...empty} />}
    />
  );
}
