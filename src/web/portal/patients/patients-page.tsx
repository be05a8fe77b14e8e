'use client';
import { Send, UsersRound } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { PatientsPage as FoundPatients } from '#contract/list-patients.ts';
import type { PatientView } from '#contract/patients.ts';
import { Avatar } from '#web/ui/avatar.tsx';
import { AddButton, Button } from '#web/ui/button.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FilterMenu } from '#web/ui/filter-menu.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { SearchInput } from '#web/ui/search-input.tsx';
import { statusOptions } from '#web/ui/status-badge.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMay, useMe } from '../me.tsx';
import { usePages } from '../use-pages.ts';
import { useQueryParam } from '../use-query-param.ts';
import { labelOfPatient, nameOfPatient } from './patient.ts';
import { PatientCell, PatientStatus } from './patient-labels.tsx';

const PatientDialog = lazyComponent(() => import('./patient-dialog.tsx').then((module) => module.PatientDialog));

const COLUMNS: Column<PatientView>[] = [
  {
    header: 'Patient',
    phone: 'title',
    sortBy: 'name',
    cell: (patient) => (
      <span className="flex min-w-0 items-center gap-2.5">
        <Avatar name={nameOfPatient(patient)} />
        <PatientCell href={`/patients/${patient.id}`} patient={labelOfPatient(patient)} />
      </span>
    ),
  },
  {
    header: 'Email',
    cell: ({ email }) => (
      // Truncated in the table; complete in the tooltip and on the patient's page.
      <span
        title={email ?? undefined}
        className="text-muted max-md:wrap-anywhere md:block md:max-w-36 md:truncate lg:max-w-52 xl:max-w-72"
      >
        {email ?? '–'}
      </span>
    ),
  },
  {
    header: 'Phone',
    cell: ({ phone_number }) => (
      <span className="whitespace-nowrap text-muted tabular-nums">
        {phone_number ? formatPhone(phone_number) : '–'}
      </span>
    ),
  },
  { header: 'Status', phone: 'corner', cell: (patient) => <PatientStatus patient={patient} /> },
  {
    header: 'Added',
    align: 'end',
    sortBy: 'created_at',
    phone: 'hidden',
    cell: (patient) => <DateTime value={patient.created_at} shape="date" />,
  },
];

const STATUSES = statusOptions('patient');
const NEWEST = '-created_at';
const ORDERS = [
  { value: NEWEST, label: 'Newest first' },
  { value: 'created_at', label: 'Oldest first' },
  { value: 'name', label: 'Name A to Z' },
  { value: '-name', label: 'Name Z to A' },
  { value: '-updated_at', label: 'Changed last' },
];

export function PatientsPage() {
  const router = useRouter();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [search, setSearch] = useQueryParam('search');
  const [statusParam, setStatus] = useQueryParam('status');
  const [sortParam, setSort] = useQueryParam('sort');
  const statuses = STATUSES.map(({ value }) => value).filter((value) => statusParam.split(',').includes(value));
  const sort = ORDERS.find(({ value }) => value === sortParam)?.value ?? NEWEST;
  const sortBy = (by: string) => setSort(by === NEWEST ? '' : by);
  const { invites_enabled } = useMe().tenant;
  const [adding, setAdding] = useState<'add' | 'invite' | null>(null);
  const input = {
    ...(search && { search }),
    ...(statuses.length > 0 && { by_status: statuses.join(',') }),
    ...(sort !== NEWEST && { sort_by: sort }),
  };
  const { more, firstPage, ...list } = usePages<PatientView, Pick<FoundPatients, 'is_similar'>>({
    queryKey: trpc.patients.list.queryKey(input),
    read: (from, signal) => client.patients.list.query({ ...input, ...from }, { signal }),
  });
  const mayAdd = useMay('patients:write');
  const add = mayAdd && <AddButton onClick={() => setAdding('add')}>Add patient</AddButton>;
  const invite = mayAdd && invites_enabled && (
    <Button onClick={() => setAdding('invite')}>
      <Send aria-hidden />
      Invite patient
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Patients"
        description="Everyone your clinic cares for"
        actions={
          <>
            {invite}
            {add}
          </>
        }
      />
      <DataTable
        label="Patients"
        columns={COLUMNS}
        rowId={(patient) => patient.id}
        {...list}
        more={{ ...more, noun: 'patient' }}
        sort={{ by: sort, onChange: sortBy }}
        toolbar={
          <>
            <SearchInput
              label="Search by name, date of birth or phone"
              value={search}
              onSearch={setSearch}
              className="w-full md:w-80"
            />
            <FilterMenu
              label="Status"
              any="Not archived"
              options={STATUSES}
              values={statuses}
              onChange={(values) => setStatus(values.join(','))}
            />
            <FilterSelect label="Order" options={ORDERS} value={sort} onChange={sortBy} />
            <p role="status" className="w-full text-muted empty:hidden">
              {search && firstPage?.is_similar && `No patient matches “${search}”. These are spelled nearly the same.`}
            </p>
          </>
        }
        empty={
          search || statuses.length > 0 ? (
            <EmptyState
              icon={UsersRound}
              title="No patient matches"
              description="Try fewer letters or another status. Names are found by their parts, and a date of birth as 1980-03-01."
            />
          ) : (
            <EmptyState
              icon={UsersRound}
              title="No patients yet"
              description={
                mayAdd
                  ? 'Add the first one here, or let your application create them through the API.'
                  : 'Patients show here once they are added.'
              }
              action={add}
            />
          )
        }
      />
      {adding && (
        <PatientDialog
          open
          invite={adding === 'invite'}
          onOpenChange={() => setAdding(null)}
          onSaved={(patient) => router.push(`/patients/${patient.id}`)}
        />
      )}
    </>
  );
}
