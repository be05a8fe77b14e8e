'use client';
import { CalendarCheck } from 'lucide-react';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { DataTable } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { usePatientNames } from '../patients/use-patient-names.ts';
import { usePages } from '../use-pages.ts';
import { useQueryParam } from '../use-query-param.ts';
import { UNMATCHED_COLUMNS } from './unmatched-columns.tsx';
import type { UnmatchedRow } from './unmatched-row.ts';

const VIEWS = [
  { value: 'open', label: 'To match' },
  { value: 'ignored', label: 'Ignored' },
] as const;
type View = (typeof VIEWS)[number]['value'];

const EMPTY: Record<View, { title: string; description: string }> = {
  open: {
    title: 'Nothing to match',
    description: `Visits that are booked in ${SCHEDULING_PROVIDER.name} for someone who is no patient here show here.`,
  },
  ignored: { title: 'Nothing is ignored', description: 'Bookings about which nothing is to be done show here.' },
};

export function UnmatchedPage() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [viewParam, setView] = useQueryParam('view');
  const view: View = viewParam === 'ignored' ? 'ignored' : 'open';
  const input = { ignored: view === 'ignored' };
  const { rows, ...list } = usePages({
    queryKey: trpc.appointments.listUnmatched.queryKey(input),
    read: (from, signal) => client.appointments.listUnmatched.query({ ...input, ...from }, { signal }),
  });
  const nameOf = usePatientNames(rows?.flatMap((booking) => booking.proposed_patient_ids));
  const named = (nameOf ? rows : undefined)?.map((booking): UnmatchedRow => {
    const [proposed] = booking.proposed_patient_ids;
    return { ...booking, ...(proposed && { proposed: { id: proposed, name: nameOf?.(proposed) } }) };
  });
  return (
    <>
      <PageHeader
        title="Bookings to match"
        description={`Visits booked in ${SCHEDULING_PROVIDER.name} for people who are no patients here. Their times are taken; say whose they are.`}
        back={{ href: '/appointments', label: 'Appointments' }}
      />
      <ViewTabs
        label="Which bookings"
        options={VIEWS}
        value={view}
        onChange={(value) => setView(value === 'open' ? '' : value)}
      />
      <DataTable<UnmatchedRow>
        label="Bookings to match"
        columns={UNMATCHED_COLUMNS}
        {...list}
        rows={named}
        rowId={(booking) => booking.id}
        more={{ ...list.more, noun: 'booking' }}
        empty={<EmptyState icon={CalendarCheck} {...EMPTY[view]} />}
      />
    </>
  );
}
