'use client';
import { useQuery } from '@tanstack/react-query';
import { CalendarClock, ExternalLink, UserCheck, Video } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AppointmentFlagsView } from '#contract/appointment-flags.ts';
import type { WaitingView } from '#contract/visits.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { DataTable, type RowLook } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { formatInstant } from '#web/ui/format-time.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import {
  allowedActions,
  hasOpenLink,
  isByVideo,
  isTimeToJoin,
  joinLink,
  phaseOf,
  roomsElsewhere,
  shownStatus,
} from '../appointments/appointment.ts';
import { AppointmentActions } from '../appointments/appointment-actions.tsx';
import {
  type AppointmentColumn,
  type AppointmentRow,
  TIME_COLUMN,
  TYPE_COLUMN,
  WITH_COLUMN,
} from '../appointments/appointment-columns.tsx';
import { AppointmentFlags } from '../appointments/appointment-flags.tsx';
import { useAppointmentFlags } from '../appointments/use-appointment-flags.ts';
import { type AppointmentFilter, useAppointments, WHOLE_DAY } from '../appointments/use-appointments.ts';
import { useMarkAppointment } from '../appointments/use-mark-appointment.ts';
import { useMay, useMe } from '../me.tsx';
import { useNow } from '../now.tsx';
import { PatientCell } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { firstAfterNow } from './day.ts';

type DayRow = AppointmentRow & {
  waiting: WaitingView | undefined;
  isJoinable: boolean;
  isCheckInDue: boolean;
  flags: AppointmentFlagsView | undefined;
};
type DayColumn = Omit<AppointmentColumn, 'cell'> & { cell: (appointment: DayRow) => ReactNode };

const PATIENT_COLUMN: DayColumn = {
  header: 'Patient',
  phone: 'title',
  cell: ({ id, patient }) => <PatientCell href={`/appointments/${id}`} patient={patient} showsPhone />,
};

const OTHER_COLUMNS: DayColumn[] = [
  {
    header: 'Status',
    phone: 'lead',
    cell: (appointment) =>
      hasStatus(appointment) && (
        <span className="flex flex-wrap items-center gap-2">
          <DayStatus appointment={appointment} />
          <AppointmentFlags appointment={appointment} flags={appointment.flags} />
          {appointment.isCheckInDue && <CheckInButton appointment={appointment} />}
          {appointment.isJoinable && <JoinButton appointment={appointment} />}
        </span>
      ),
  },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (appointment) => (
      <AppointmentActions appointment={appointment} patient={appointment.patient?.name} shape="time" />
    ),
  },
];

/** Patients who come to the clinic are there by then. */
const CHECK_IN_BEFORE_MS = 60 * 60_000;

const COLUMNS = [TIME_COLUMN, PATIENT_COLUMN, TYPE_COLUMN, ...OTHER_COLUMNS];
const COLUMNS_OF_ALL = [TIME_COLUMN, PATIENT_COLUMN, TYPE_COLUMN, WITH_COLUMN, ...OTHER_COLUMNS];

const hasStatus = (appointment: DayRow) => {
  const { waiting, isJoinable, isCheckInDue, flags } = appointment;
  const isMarked = shownStatus(appointment) !== 'scheduled';
  return isMarked || waiting || isJoinable || isCheckInDue || flags?.is_first || flags?.is_unpaid;
};

/** What sets the appointment apart from the others of the day: all are booked. */
function DayStatus({ appointment }: { appointment: DayRow }) {
  const { waiting } = appointment;
  const status = shownStatus(appointment);
  if (!waiting) return status !== 'scheduled' && <StatusBadge kind="appointment" status={status} />;
  return waiting.is_away ? <Badge tone="warn">Connection lost</Badge> : <Badge tone="info">Waiting</Badge>;
}

function CheckInButton({ appointment: { id, patient } }: { appointment: DayRow }) {
  const { mark } = useMarkAppointment(id);
  return (
    <Button
      size="sm"
      className="relative"
      aria-label={`Check in ${patient?.name ?? 'the patient'}`}
      onClick={() => mark('checked_in')}
    >
      <UserCheck aria-hidden />
      Check in
    </Button>
  );
}

function JoinButton({ appointment }: { appointment: DayRow }) {
  const site = roomsElsewhere(appointment);
  return (
    <Button asChild size="sm" variant={appointment.waiting ? 'primary' : 'secondary'} className="relative">
      {/* Not the portal's navigation: only a page that is opened as a whole may use the camera. */}
      <a
        href={joinLink(appointment)}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={`Join the call with ${appointment.patient?.name ?? 'the patient'}${site ? ` at ${site}` : ''}`}
        title={site ? `Opens ${site}` : undefined}
      >
        {site ? <ExternalLink aria-hidden /> : <Video aria-hidden />}
        Join
      </a>
    </Button>
  );
}

type DayTableProps = {
  filter: AppointmentFilter | null;
  /** All are of one practitioner, whose name is redundant. */
  isOfOne: boolean;
  empty: { title: string; description: string; action?: ReactNode };
};

/** The day's appointments in order, with a line between those that have begun and those to come. */
export function DayTable({ filter, isOfOne, empty }: DayTableProps) {
  const trpc = useTRPC();
  const now = useNow();
  const { permissions } = useMe();
  const mayHost = useMay('visits:host');
  const { rows, more, ...list } = useAppointments(filter, WHOLE_DAY);
  const labelOf = usePatientLabels(rows?.map(({ patient_id }) => patient_id));
  const flagsOf = useAppointmentFlags(rows?.map(({ id }) => id));
  // The list of waiting patients above keeps it up to date.
  const waiting = useQuery(trpc.visits.waiting.queryOptions({}));
  const waitingOf = new Map(waiting.data?.map((one) => [one.appointment_id, one]));
  const columns = isOfOne ? COLUMNS : COLUMNS_OF_ALL;
  const belowLine = firstAfterNow(rows ?? [], now);
  const lookOf = (appointment: DayRow): RowLook => ({
    className: hasOpenLink(phaseOf(appointment, now)) ? undefined : 'bg-sunken/50 text-muted',
    ...(appointment.id === belowLine && { above: <NowLine now={now} columns={columns.length} /> }),
  });
  return (
    <DataTable<DayRow>
      {...list}
      label="Appointments today"
      columns={columns}
      rows={
        labelOf && flagsOf
          ? rows?.map((appointment) => ({
              ...appointment,
              patient: labelOf(appointment.patient_id),
              waiting: waitingOf.get(appointment.id),
              isCheckInDue:
                !isByVideo(appointment) &&
                Date.parse(appointment.from_date) - CHECK_IN_BEFORE_MS <= now &&
                allowedActions(appointment, now, permissions).includes('checked_in'),
              flags: flagsOf(appointment.id),
              isJoinable: mayHost && isByVideo(appointment) && isTimeToJoin(appointment, now),
            }))
          : undefined
      }
      rowId={({ id }) => id}
      lookOf={lookOf}
      more={{ ...more, noun: 'appointment' }}
      empty={<EmptyState icon={CalendarClock} {...empty} />}
    />
  );
}

function NowLine({ now, columns }: { now: number; columns: number }) {
  const instant = new Date(now).toISOString();
  const zone = useReaderZone();
  return (
    // biome-ignore lint/a11y/noRedundantRoles: display:block on phones takes a table's own roles away in some browsers.
    <tr role="row" className="max-md:block print:hidden">
      {/* biome-ignore lint/a11y/noRedundantRoles: as above. */}
      <td role="cell" colSpan={columns} className="px-4 py-1 max-md:block">
        <span className="flex items-center gap-2 text-xs font-medium whitespace-nowrap text-accent-ink">
          <span>
            Now, <time dateTime={instant}>{formatInstant(instant, 'time', zone)}</time>
          </span>
          <span aria-hidden className="h-0.5 grow rounded-full bg-accent" />
        </span>
      </td>
    </tr>
  );
}
