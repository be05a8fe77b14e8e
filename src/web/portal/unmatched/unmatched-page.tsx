'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CalendarCheck, EyeOff, ListPlus, Undo2, UserPlus, UserRoundCheck } from 'lucide-react';
import { useState } from 'react';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { UnmatchedAppointmentView } from '#contract/unmatched.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import type { MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { toast } from '#web/ui/toast.ts';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { bornLabel, type PatientLabel } from '../patients/patient.ts';
import { BirthDate } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { RowMenu } from '../shell/action-menu.tsx';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';
import { bookingTask } from '../tasks/task-values.ts';
import { usePages } from '../use-pages.ts';
import { useQueryParam } from '../use-query-param.ts';

const AttachDialog = lazyComponent(() => import('../patients/attach-dialog.tsx').then((module) => module.AttachDialog));

/** A booking, with the patient who has its email address, if any. */
type UnmatchedRow = UnmatchedAppointmentView & { proposed?: { id: string; patient: PatientLabel | undefined } };

const contactName = ({ first_name, last_name }: UnmatchedAppointmentView): string =>
  `${first_name} ${last_name}`.trim() || 'Someone without a name';

/** Assigns a booking to a patient, whose appointment it becomes. The patient with the booking's email is proposed. */
function AttachBooking({ booking, onClose }: { booking: UnmatchedRow; onClose: () => void }) {
  const client = useTRPCClient();
  const { id, email, proposed } = booking;
  return (
    <AttachDialog
      title={`Attach the booking for ${contactName(booking)}`}
      description={`It becomes this patient’s appointment, at the time that is booked in ${SCHEDULING_PROVIDER.name}, with a video link of its own.`}
      proposed={
        proposed?.patient
          ? {
              value: proposed.id,
              label: proposed.patient.name,
              hint: [bornLabel(proposed.patient.birthDate), email].filter(Boolean).join(', '),
            }
          : null
      }
      hint={proposed ? 'This patient has the email of the booking.' : undefined}
      attach={(patient_id) => client.appointments.attachUnmatched.mutate({ id, patient_id })}
      done={(name) => `It is ${name}’s appointment now`}
      onClose={onClose}
    />
  );
}

/** Actions on an unmatched booking: attach it to a patient, create a patient from it, or ignore it. */
function UnmatchedActions({ booking }: { booking: UnmatchedRow }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [open, setOpen] = useState<'attach' | 'task' | null>(null);
  const change = (done: string) => ({
    onSuccess: () => void toast.success(done),
    onError: (error: unknown) => void toast.error(firstErrorMessage(error)),
    onSettled: () => queries.invalidateQueries(),
  });
  const create = useMutation(trpc.appointments.createPatientOf.mutationOptions(change('They are a patient now')));
  const ignore = useMutation(trpc.appointments.ignoreUnmatched.mutationOptions(change('It is ignored')));
  const restore = useMutation(trpc.appointments.restoreUnmatched.mutationOptions(change('It is listed again')));
  const { id } = booking;
  const contact = contactName(booking);
  const entries: MenuEntry[] = [
    { kind: 'action', label: 'Attach to a patient', icon: UserRoundCheck, onSelect: () => setOpen('attach') },
    ...(booking.proposed
      ? []
      : [
          {
            kind: 'action' as const,
            label: 'Make them a patient',
            icon: UserPlus,
            onSelect: () => create.mutate({ id }),
          },
        ]),
    { kind: 'action', label: 'Make a task', icon: ListPlus, onSelect: () => setOpen('task') },
    booking.ignored_at
      ? { kind: 'action', label: 'List it again', icon: Undo2, onSelect: () => restore.mutate({ id }) }
      : { kind: 'action', label: 'Ignore it', icon: EyeOff, onSelect: () => ignore.mutate({ id }) },
  ];
  const isBusy = create.isPending || ignore.isPending || restore.isPending;
  return (
    <span className="relative inline-flex items-center gap-1">
      <RowMenu of={`the booking for ${contact}`} pending={isBusy} entries={entries} />
      {open === 'attach' && <AttachBooking booking={booking} onClose={() => setOpen(null)} />}
      {open === 'task' && <NewTaskDialog start={bookingTask(id, contact)} onClose={() => setOpen(null)} />}
    </span>
  );
}

const UNMATCHED_COLUMNS: Column<UnmatchedRow>[] = [
  {
    header: 'When',
    phone: 'lead',
    cell: (booking) => <DateTime value={booking.from_date} stacked calendarZone={booking.time_zone} />,
  },
  {
    header: 'Booked for',
    phone: 'title',
    cell: (booking) => (
      <span className="grid">
        <span className="font-medium wrap-anywhere">{contactName(booking)}</span>
        <span className="text-[13px] text-muted wrap-anywhere">
          {[booking.email, booking.phone_number].filter(Boolean).join(', ') || 'No email or phone number'}
        </span>
      </span>
    ),
  },
  {
    header: 'Appointment',
    wraps: true,
    cell: (booking) => (
      <span className="md:grid">
        {booking.appointment_type}{' '}
        <span className="text-muted md:text-[13px]">
          {booking.duration_minutes} min with {booking.calendar}
        </span>
      </span>
    ),
  },
  {
    header: 'Same email',
    wraps: true,
    cell: ({ proposed }) =>
      proposed ? (
        <span className="md:grid">
          {proposed.patient?.name ?? 'A patient'} <BirthDate date={proposed.patient?.birthDate} />
        </span>
      ) : (
        <span className="text-muted">No patient</span>
      ),
  },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (booking) => <UnmatchedActions booking={booking} />,
  },
];

const VIEWS = [
  { value: 'open', label: 'To match' },
  { value: 'ignored', label: 'Ignored' },
] as const;
type View = (typeof VIEWS)[number]['value'];

const EMPTY: Record<View, { title: string; description: string }> = {
  open: {
    title: 'Nothing to match',
    description: `Appointments that are booked in ${SCHEDULING_PROVIDER.name} for someone who is not a patient here show here.`,
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
  const labelOf = usePatientLabels(rows?.flatMap((booking) => booking.proposed_patient_ids));
  const named = (labelOf ? rows : undefined)?.map((booking): UnmatchedRow => {
    const [proposed] = booking.proposed_patient_ids;
    return { ...booking, ...(proposed && { proposed: { id: proposed, patient: labelOf?.(proposed) } }) };
  });
  return (
    <>
      <PageHeader
        title="Bookings to match"
        description={`Appointments booked in ${SCHEDULING_PROVIDER.name} for people who are not patients here. Their times are taken; say whose they are.`}
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
