'use client';
import { Send, UsersRound } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { PatientView } from '#contract/patients.ts';
import { AddButton } from '#portal/ui/add-button.tsx';
import { Avatar } from '#portal/ui/avatar.tsx';
import { Button } from '#portal/ui/button.tsx';
import { type Column, DataTable } from '#portal/ui/data-table.tsx';
import { DateTime } from '#portal/ui/date-time.tsx';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { FilterSelect } from '#portal/ui/filter-select.tsx';
import { formatPhone } from '#portal/ui/format-phone.ts';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { RowLink } from '#portal/ui/row-link.tsx';
import { SearchInput } from '#portal/ui/search-input.tsx';
import { statusOptions } from '#portal/ui/status-badge.tsx';
import { useMe } from '../me.tsx';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';
import { usePages } from '../use-pages.ts';
import { useQueryParam } from '../use-query-param.ts';
import { nameOfPatient } from './name-of-patient.ts';
import { PatientStatus } from './patient-status.tsx';

const PatientDialog = dynamic(() => import('./patient-dialog.tsx').then((module) => module.PatientDialog), {
  ssr: false,
});

const COLUMNS: Column<PatientView>[] = [
  {
    header: 'Patient',
    phone: 'title',
    cell: (patient) => (
      <span className="flex min-w-0 items-center gap-2.5">
        <Avatar name={nameOfPatient(patient)} />
        <RowLink href={`/patients/${patient.id}`}>{nameOfPatient(patient)}</RowLink>
      </span>
    ),
  },
  { header: 'Email', cell: (patient) => <Quiet text={patient.email} /> },
  { header: 'Phone', cell: (patient) => <Quiet text={patient.phone_number && formatPhone(patient.phone_number)} /> },
  { header: 'Status', phone: 'corner', cell: (patient) => <PatientStatus patient={patient} /> },
  {
    header: 'Added',
    align: 'end',
    phone: 'hidden',
    cell: (patient) => <DateTime value={patient.created_at} shape="date" />,
  },
];

function Quiet({ text }: { text: string | null }) {
  return <span className="text-muted tabular-nums wrap-anywhere">{text ?? '–'}</span>;
}

const STATUSES = [{ value: 'all', label: 'Any status' }, ...statusOptions('patient')];

export function PatientsPage() {
  const router = useRouter();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [search, setSearch] = useQueryParam('search');
  const [status, setStatus] = useQueryParam('status');
  const { invites_enabled } = useMe().tenant;
  const [adding, setAdding] = useState<'add' | 'invite' | null>(null);
  const input = { ...(search && { search }), ...(status && { by_status: status }) };
  const { more, ...list } = usePages<PatientView>({
    queryKey: trpc.patients.list.queryKey(input),
    read: (starting_after, signal) => client.patients.list.query({ ...input, starting_after }, { signal }),
  });
  const add = <AddButton onClick={() => setAdding('add')}>Add patient</AddButton>;
  const invite = invites_enabled && (
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
        more={{ ...more, noun: 'patients' }}
        toolbar={
          <>
            <SearchInput
              label="Search by name, email or phone"
              value={search}
              onSearch={setSearch}
              className="w-full md:w-80"
            />
            <FilterSelect
              label="Status"
              options={STATUSES}
              value={status || 'all'}
              onChange={(value) => setStatus(value === 'all' ? '' : value)}
            />
          </>
        }
        empty={
          search || status ? (
            <EmptyState
              icon={UsersRound}
              title="No patient matches"
              description="Try fewer letters or another status."
            />
          ) : (
            <EmptyState
              icon={UsersRound}
              title="No patients yet"
              description="Add the first one here, or let your application create them through the API."
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
