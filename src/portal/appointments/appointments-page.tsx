'use client';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { AppointmentStatus } from '#contract/scheduling.ts';
import { Button } from '#portal/ui/button.tsx';
import { Combobox, type ComboboxOption } from '#portal/ui/combobox.tsx';
import { DatePicker } from '#portal/ui/date-picker.tsx';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { Select } from '#portal/ui/select.tsx';
import { statusOptions } from '#portal/ui/status-badge.tsx';
import { useMe } from '../me.tsx';
import { usePatientOptions } from '../patients/use-patient-search.ts';
import { useQueryParam } from '../use-query-param.ts';
import { APPOINTMENT_COLUMNS } from './appointment-columns.tsx';
import { BookDialog } from './book-dialog.tsx';
import { dayBounds } from './day-bounds.ts';
import { VisitsTable } from './visits-table.tsx';

const STATUSES = statusOptions('appointment');

export function AppointmentsPage() {
  const zone = useMe().tenant.time_zone;
  const searchPatients = usePatientOptions();
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [from, setFrom] = useQueryParam('from');
  const [until, setUntil] = useQueryParam('until');
  const [status, setStatus] = useQueryParam('status');
  const [booking, setBooking] = useState(false);
  const filtered = Boolean(patient || from || until || status);
  const book = (
    <Button variant="primary" onClick={() => setBooking(true)}>
      <Plus aria-hidden />
      Book visit
    </Button>
  );
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
          ...(status && { status: AppointmentStatus.catch('scheduled').parse(status) }),
        }}
        toolbar={
          <>
            <Combobox
              aria-label="Search by patient"
              value={patient}
              onChange={setPatient}
              search={searchPatients}
              placeholder="Search by patient"
              className="w-full md:w-72"
            />
            <DatePicker label="From" value={from || null} onChange={(day) => setFrom(day ?? '')} clearable />
            <DatePicker label="Until" value={until || null} onChange={(day) => setUntil(day ?? '')} clearable />
            <Select
              aria-label="Status"
              options={STATUSES}
              value={status || 'scheduled'}
              onValueChange={(value) => setStatus(value === 'scheduled' ? '' : value)}
              className="w-36"
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
      <BookDialog open={booking} onOpenChange={setBooking} />
    </>
  );
}
