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
  /** As the server gives them (latest first), or by the clock, for a single day. */
  order?: 'latest' | 'soonest';
  toolbar?: ReactNode;
  empty: { title: string; description: string; action?: ReactNode };
};

export function VisitsTable({ filter, empty, order = 'latest', ...table }: VisitsTableProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  // A day is read whole, so that it can be put in order.
  const size = order === 'soonest' ? 1000 : 20;
  const { rows, more, ...list } = usePages({
    queryKey: trpc.appointments.list.queryKey(filter),
    read: (starting_after, signal) => client.appointments.list.query({ ...filter, size, starting_after }, { signal }),
  });
  const ordered = order === 'soonest' ? rows?.toSorted(byTime) : rows;
  const nameOf = usePatientNames(filter.patient_id ? [] : rows?.map((visit) => visit.patient_id));
  return (
    <DataTable<AppointmentRow>
      {...table}
      {...list}
      rows={ordered?.map((visit) => ({ ...visit, patientName: nameOf(visit.patient_id) }))}
      rowId={(visit) => visit.id}
      more={{ ...more, noun: rows?.length === 1 ? 'visit' : 'visits' }}
      empty={<EmptyState icon={CalendarClock} {...empty} />}
    />
  );
}

function byTime(a: AppointmentRow, b: AppointmentRow) {
  return Date.parse(a.from_date) - Date.parse(b.from_date);
}
