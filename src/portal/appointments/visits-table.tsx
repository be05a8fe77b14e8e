'use client';
import { CalendarClock } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import type { ListAppointmentsInput } from '#contract/scheduling.ts';
import { DataTable } from '#portal/ui/data-table.tsx';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { usePatientNames } from '../patients/use-patient-names.ts';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';
import { usePages } from '../use-pages.ts';
import type { AppointmentRow } from './appointment-columns.tsx';

type VisitsTableProps = {
  label: string;
  columns: ComponentProps<typeof DataTable<AppointmentRow>>['columns'];
  filter: Pick<ListAppointmentsInput, 'patient_id' | 'scheduled_after' | 'scheduled_before' | 'status'>;
  toolbar?: ReactNode;
  empty: { title: string; description: string; action?: ReactNode };
};

export function VisitsTable({ filter, empty, ...table }: VisitsTableProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { rows, more, ...list } = usePages({
    queryKey: trpc.appointments.list.queryKey(filter),
    read: (starting_after, signal) => client.appointments.list.query({ ...filter, starting_after }, { signal }),
  });
  const names = usePatientNames(filter.patient_id ? [] : rows?.map((visit) => visit.patient_id));
  return (
    <DataTable<AppointmentRow>
      {...table}
      {...list}
      rows={rows?.map((visit) => ({ ...visit, patientName: names.get(visit.patient_id) }))}
      rowId={(visit) => visit.id}
      more={{ ...more, noun: rows?.length === 1 ? 'visit' : 'visits' }}
      empty={<EmptyState icon={CalendarClock} {...empty} />}
    />
  );
}
