'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { AppointmentView } from '#contract/scheduling.ts';
import { AddButton } from '#portal/ui/add-button.tsx';
import type { ComboboxOption } from '#portal/ui/combobox.tsx';
import { DatePicker } from '#portal/ui/date-picker.tsx';
import { FilterSelect } from '#portal/ui/filter-select.tsx';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { statusOptions } from '#portal/ui/status-badge.tsx';
import { useMe } from '../me.tsx';
import { PatientFilter } from '../patients/patient-filter.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { APPOINTMENT_COLUMNS } from './appointment-columns.tsx';
import { dayBounds } from './day-bounds.ts';
import { VisitsTable } from './visits-table.tsx';

const BookDialog = dynamic(() => import('./book-dialog.tsx').then((module) => module.BookDialog), { ssr: false });

const STATUSES = statusOptions('appointment');

export function AppointmentsPage() {
  const zone = useMe().tenant.time_zone;
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [from, setFrom] = useQueryParam('from');
  const [until, setUntil] = useQueryParam('until');
  const [statusParam, setStatus] = useQueryParam('status');
  const status = STATUSES.find(({ value }) => value === statusParam)?.value as AppointmentView['status'] | undefined;
  const [booking, setBooking] = useState(false);
  const filtered = Boolean(patient || from || until || status);
  const book = <AddButton onClick={() => setBooking(true)}>Book visit</AddButton>;
  return (
    <>
      <PageHeader title="Appointments" description="Every visit of your clinic" actions={book} />
      <VisitsTable
        label="Appointments"
        columns={APPOINTMENT_COLUMNS}
        filter={{
          ...(patient && { patient_id: patient.value }),
          ...(from && { scheduled_after: dayBounds(from, zone).start }),
          ...(until && { scheduled_before: dayBounds(until, zone).end }),
          ...(status && { status }),
        }}
        toolbar={
          <>
            <PatientFilter value={patient} onChange={setPatient} />
            <DatePicker label="From" value={from || null} onChange={(day) => setFrom(day ?? '')} />
            <DatePicker label="Until" value={until || null} onChange={(day) => setUntil(day ?? '')} />
            <FilterSelect
              label="Status"
              options={STATUSES}
              value={status || 'scheduled'}
              onChange={(value) => setStatus(value === 'scheduled' ? '' : value)}
            />
          </>
        }
        empty={
          filtered
            ? { title: 'No visit matches', description: 'Try other days, another status or no patient.' }
            : {
                title: 'No visits yet',
                description: 'Book the first one from the free times of your team.',
                action: book,
              }
        }
      />
      {booking && <BookDialog open onOpenChange={setBooking} />}
    </>
  );
}
