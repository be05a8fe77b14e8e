'use client';
import { CalendarClock } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '#portal/ui/data-table.tsx';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { usePatientNames } from '../patients/use-patient-names.ts';
import type { AppointmentRow } from './appointment-columns.tsx';
import { useVisits, type VisitFilter, type VisitOrder } from './use-visits.ts';

type VisitsTableProps = {
  label: string;
  columns: Column<AppointmentRow>[];
  filter: VisitFilter;
  order?: VisitOrder;
  /** Only so many, where a glance is enough. */
  most?: number;
  toolbar?: ReactNode;
  empty: { title: string; description: string; action?: ReactNode };
};

export function VisitsTable({ filter, empty, order = 'latest', most, ...table }: VisitsTableProps) {
  const { rows: all, more, ...list } = useVisits(filter, order);
  const rows = all?.slice(0, most);
  const nameOf = usePatientNames(filter.patient_id ? [] : rows?.map((visit) => visit.patient_id));
  return (
    <DataTable<AppointmentRow>
      {...table}
      {...list}
      rows={(nameOf ? rows : undefined)?.map((visit) => ({ ...visit, patientName: nameOf?.(visit.patient_id) }))}
      rowId={(visit) => visit.id}
      {...(!most && { more: { ...more, noun: rows?.length === 1 ? 'visit' : 'visits' } })}
      empty={<EmptyState icon={CalendarClock} {...empty} />}
    />
  );
}
