'use client';
import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { AddButton } from '#portal/ui/add-button.tsx';
import type { ComboboxOption } from '#portal/ui/combobox.tsx';
import { DatePicker } from '#portal/ui/date-picker.tsx';
import { FilterMenu } from '#portal/ui/filter-menu.tsx';
import { FilterSelect } from '#portal/ui/filter-select.tsx';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { statusOptions } from '#portal/ui/status-badge.tsx';
import { ViewTabs } from '#portal/ui/view-tabs.tsx';
import { useMe } from '../me.tsx';
import { PatientFilter } from '../patients/patient-filter.tsx';
import { useTRPC } from '../trpc-client.tsx';
import { useDayParam, useNumberParam, useQueryParam } from '../use-query-param.ts';
import { APPOINTMENT_COLUMNS } from './appointment-columns.tsx';
import { dayBounds } from './day-bounds.ts';
import { filterOf, STATUSES, STATUSES_OF, VIEWS, viewOf } from './views.ts';
import { VisitsTable } from './visits-table.tsx';

const BookDialog = dynamic(() => import('./book-dialog.tsx').then((module) => module.BookDialog), { ssr: false });

const EMPTY = {
  upcoming: 'No visit is booked for the days to come. Book one from the free times of your team.',
  past: 'Visits show here once they are over.',
  canceled: 'Visits that are called off show here.',
  all: 'Book the first one from the free times of your team.',
};

export function AppointmentsPage() {
  const zone = useMe().tenant.time_zone;
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [from, setFrom] = useDayParam('from');
  const [until, setUntil] = useDayParam('until');
  const [statusParam, setStatus] = useQueryParam('status');
  const [viewParam, setView] = useQueryParam('view');
  const [calendar, setCalendar] = useNumberParam('with');
  const [type, setType] = useNumberParam('type');
  const [booking, setBooking] = useState(false);
  const view = viewOf(viewParam, statusParam);
  const statuses = STATUSES.filter((status) => statusParam.split(',').includes(status));
  const offered = STATUSES_OF[view];
  const isNarrowed = offered.length > 0 && statuses.some((status) => offered.includes(status));
  const filtered = Boolean(patient || from || until || calendar || type || isNarrowed);
  const book = <AddButton onClick={() => setBooking(true)}>Book visit</AddButton>;
  return (
    <>
      <PageHeader title="Appointments" description="Every visit of your clinic" actions={book} />
      <ViewTabs label="Which visits" options={VIEWS} value={view} onChange={setView} />
      <VisitsTable
        label="Appointments"
        columns={APPOINTMENT_COLUMNS}
        filter={{
          ...filterOf(view, statuses),
          ...(patient && { patient_id: patient.value }),
          ...(calendar && { calendar_id: calendar }),
          ...(type && { appointment_type_id: type }),
          ...(from && { scheduled_after: dayBounds(from, zone).start }),
          ...(until && { scheduled_before: dayBounds(until, zone).end }),
        }}
        toolbar={
          <>
            <PatientFilter value={patient} onChange={setPatient} />
            <WhoAndWhat
              calendar={String(calendar ?? '')}
              onCalendar={setCalendar}
              type={String(type ?? '')}
              onType={setType}
            />
            {offered.length > 0 && (
              <FilterMenu
                label="Status"
                any="Any status"
                options={statusOptions('appointment').filter(({ value }) => offered.some((one) => one === value))}
                values={statuses.filter((status) => offered.includes(status))}
                onChange={(values) => setStatus(values.join(','))}
              />
            )}
            <DatePicker label="From" value={from} onChange={setFrom} />
            <DatePicker label="Until" value={until} onChange={setUntil} />
          </>
        }
        empty={
          filtered
            ? { title: 'No visit matches', description: 'Try other days, another practitioner or no patient.' }
            : { title: 'No visits here', description: EMPTY[view], action: book }
        }
      />
      {booking && <BookDialog open onOpenChange={setBooking} />}
    </>
  );
}

type WhoAndWhatProps = {
  calendar: string;
  onCalendar: (id: string) => void;
  type: string;
  onType: (id: string) => void;
};

/** Keeps the list to one practitioner and one type of visit. Without Acuity there are none to choose from. */
function WhoAndWhat({ calendar, onCalendar, type, onType }: WhoAndWhatProps) {
  const trpc = useTRPC();
  const calendars = useQuery(trpc.scheduling.listCalendars.queryOptions({ size: 1000 }));
  const types = useQuery(trpc.scheduling.listAppointmentTypes.queryOptions({ size: 1000 }));
  const optionsOf = (any: string, items: { id: number; name: string }[] = []) => [
    { value: '', label: any },
    ...items.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  return (
    <>
      <FilterSelect
        label="Practitioner"
        options={optionsOf('Any practitioner', calendars.data?.items)}
        value={calendar}
        onChange={onCalendar}
      />
      <FilterSelect
        label="Visit type"
        options={optionsOf('Any type', types.data?.items)}
        value={type}
        onChange={onType}
      />
    </>
  );
}
