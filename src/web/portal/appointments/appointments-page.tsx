'use client';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { AddButton, Button } from '#web/ui/button.tsx';
import type { ComboboxOption } from '#web/ui/combobox.tsx';
import { DatePicker } from '#web/ui/date-picker.tsx';
import { FilterMenu } from '#web/ui/filter-menu.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { statusOptions } from '#web/ui/status-badge.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMay, useMe } from '../me.tsx';
import { PatientFilter } from '../patients/patient-filter.tsx';
import { UnmatchedNotice } from '../unmatched/unmatched-notice.tsx';
import { useDownload } from '../use-download.ts';
import { useDayParam, useNumberParam, useQueryParam } from '../use-query-param.ts';
import { ISSUE_OPTIONS } from './appointment.ts';
import { APPOINTMENT_COLUMNS } from './appointment-columns.tsx';
import {
  ATTENDANCE,
  exportOf,
  filterOf,
  parsePractitionerFilter,
  practitionerFilterOptions,
  STATUSES,
  STATUSES_OF,
  VIEWS,
  viewOf,
} from './appointment-filters.ts';
import { AppointmentsTable } from './appointments-table.tsx';
import { dayBounds } from './local-time.ts';
import { type AppointmentFilter, useAppointments } from './use-appointments.ts';

const BookDialog = lazyComponent(() => import('./book-dialog.tsx').then((module) => module.BookDialog));

const ISSUES = ISSUE_OPTIONS.map(({ value }) => value);

const EMPTY = {
  upcoming: 'No appointment is booked for the days to come.',
  past: 'Appointments show here once they are over.',
  canceled: 'Appointments that are canceled show here.',
  all: 'Appointments show here once they are booked.',
};
/** For staff who may book. */
const EMPTY_TO_BOOK = {
  ...EMPTY,
  upcoming: `${EMPTY.upcoming} Book one from the free times of your team.`,
  all: 'Book the first one from the free times of your team.',
};

export function AppointmentsPage() {
  const zone = useMe().tenant.time_zone;
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [from, setFrom] = useDayParam('from');
  const [until, setUntil] = useDayParam('until');
  const [statusParam, setStatus] = useQueryParam('status');
  const [viewParam, setView] = useQueryParam('view');
  const [practitioner, setPractitioner] = useQueryParam('with');
  const [type, setType] = useNumberParam('type');
  const [issueParam, setIssue] = useQueryParam('issue');
  const [attendanceParam, setAttendance] = useQueryParam('attendance');
  const [isBooking, setBooking] = useState(false);
  const view = viewOf(viewParam, statusParam);
  const statuses = STATUSES.filter((status) => statusParam.split(',').includes(status));
  const offered = STATUSES_OF[view];
  const isFiltered = offered.length > 0 && statuses.some((status) => offered.includes(status));
  const practitionerFilter = parsePractitionerFilter(practitioner);
  // Past and canceled appointments have no scheduling issues.
  const issues = view === 'upcoming' ? ISSUES.filter((issue) => issueParam.split(',').includes(issue)) : [];
  // A canceled appointment has none.
  const attendance =
    view === 'canceled' ? undefined : ATTENDANCE.find(({ value }) => value && value === attendanceParam);
  const filtered = Boolean(
    attendance || patient || from || until || practitionerFilter || type || isFiltered || issues.length > 0,
  );
  const mayBook = useMay('appointments:write');
  const mayExport = useMay('lists:export');
  const download = useDownload();
  const book = mayBook && <AddButton onClick={() => setBooking(true)}>Book appointment</AddButton>;
  const filter: AppointmentFilter = {
    ...filterOf(view, statuses),
    ...attendance?.filter,
    ...(patient && { patient_id: patient.value }),
    ...practitionerFilter,
    ...(type && { appointment_type_id: type }),
    ...(issues.length > 0 && { scheduling_issue: issues }),
    ...(from && { scheduled_after: dayBounds(from, zone).start }),
    ...(until && { scheduled_before: dayBounds(until, zone).end }),
  };
  return (
    <>
      <PageHeader
        title="Appointments"
        description="Every appointment of your clinic"
        actions={
          <>
            <UnmatchedNotice />
            {mayExport && (
              <Button onClick={() => void download(exportOf(filter))}>
                <Download aria-hidden />
                Export
              </Button>
            )}
            {book}
          </>
        }
      />
      <ViewTabs label="Which appointments" options={VIEWS} value={view} onChange={setView} />
      <AppointmentsTable
        label="Appointments"
        columns={APPOINTMENT_COLUMNS}
        filter={filter}
        toolbar={
          <>
            <PatientFilter value={patient} onChange={setPatient} />
            <PractitionerAndType
              practitioner={practitionerFilter ? practitioner : ''}
              onPractitioner={setPractitioner}
              type={String(type ?? '')}
              onType={setType}
              filter={filter}
            />
            {view === 'upcoming' && (
              <FilterMenu
                label={SCHEDULING_PROVIDER.name}
                any={`Any state in ${SCHEDULING_PROVIDER.name}`}
                options={ISSUE_OPTIONS}
                values={issues}
                onChange={(values) => setIssue(values.join(','))}
              />
            )}
            {offered.length > 0 && (
              <FilterMenu
                label="Status"
                any="Any status"
                options={statusOptions('appointment').filter(({ value }) => offered.some((status) => status === value))}
                values={statuses.filter((status) => offered.includes(status))}
                onChange={(values) => setStatus(values.join(','))}
              />
            )}
            {view !== 'canceled' && (
              <FilterSelect
                label="Attendance"
                options={ATTENDANCE}
                value={attendance?.value ?? ''}
                onChange={setAttendance}
              />
            )}
            <span className="flex flex-wrap gap-2 max-md:w-full">
              <DatePicker label="From" value={from} onChange={setFrom} />
              <DatePicker label="Until" value={until} onChange={setUntil} />
            </span>
          </>
        }
        empty={
          filtered
            ? { title: 'No appointment matches', description: 'Try other days, another practitioner or no patient.' }
            : { title: 'No appointments here', description: (mayBook ? EMPTY_TO_BOOK : EMPTY)[view], action: book }
        }
      />
      {isBooking && <BookDialog open onOpenChange={setBooking} />}
    </>
  );
}

type PractitionerAndTypeProps = {
  practitioner: string;
  onPractitioner: (id: string) => void;
  type: string;
  onType: (id: string) => void;
  /** The filter of the list. */
  filter: AppointmentFilter;
};

/** Filters the list by practitioner and by appointment type. Both are empty without a provider. */
function PractitionerAndType({ practitioner, onPractitioner, type, onType, filter }: PractitionerAndTypeProps) {
  const trpc = useTRPC();
  const calendars = useQuery(trpc.scheduling.listCalendars.queryOptions({ size: 1000 }));
  const team = useQuery(trpc.practitioners.list.queryOptions({ size: 1000 }));
  const types = useQuery(trpc.scheduling.listAppointmentTypes.queryOptions({ size: 1000 }));
  const { rows } = useAppointments(filter);
  const optionsOf = (any: string, items: { id: number; name: string }[] = []) => [
    { value: '', label: any },
    ...items.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  return (
    <>
      <FilterSelect
        label="Practitioner"
        options={[
          { value: '', label: 'Any practitioner' },
          ...practitionerFilterOptions({
            calendars: calendars.data?.items,
            team: team.data?.items,
            appointments: rows,
            practitioner,
          }),
        ]}
        value={practitioner}
        onChange={onPractitioner}
      />
      <FilterSelect
        label="Appointment type"
        options={optionsOf('Any type', types.data?.items)}
        value={type}
        onChange={onType}
      />
    </>
  );
}
