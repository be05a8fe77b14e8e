'use client';
import { useQuery } from '@tanstack/react-query';
import { CalendarClock, CalendarX, ListPlus, MoreHorizontal, RefreshCw, Video } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AppointmentFlagsView } from '#contract/appointment-flags.ts';
import type { AppointmentPageView } from '#contract/appointment-page.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { TimelineEntryView } from '#contract/timeline.ts';
import type { VisitTestResult } from '#contract/visit-test.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatInstant, isSameLocalTime, zoneName } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { RecordError } from '#web/ui/record-error.tsx';
import { PageSkeleton } from '#web/ui/skeleton.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { AppointmentMessages, useAppointmentMessages } from '../appointment-messages/appointment-messages.tsx';
import { useMay, useMe } from '../me.tsx';
import { NotesSection } from '../notes/notes-section.tsx';
import { useNotes } from '../notes/use-notes.ts';
import { useNow } from '../now.tsx';
import { BirthDate, PatientName } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { type ActionEntry, ActionMenu } from '../shell/action-menu.tsx';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';
import { followUp } from '../tasks/task-values.ts';
import { ObjectTimeline } from '../timeline/object-timeline.tsx';
import { useTimeline } from '../timeline/timeline-entries.tsx';
import {
  allowedActions,
  hasOpenLink,
  isByVideo,
  joinLabel,
  joinLink,
  phaseOf,
  roomsElsewhere,
  shownStatus,
} from './appointment.ts';
import { AppointmentDialog, type AppointmentDialogKind } from './appointment-dialog.tsx';
import { AppointmentFlags } from './appointment-flags.tsx';
import { CallCard, useCall } from './call-card.tsx';
import { deviceTestProblems } from './call-labels.ts';
import { LacksDateOfBirth } from './lacks-date-of-birth.tsx';
import { MarkButtons } from './mark-buttons.tsx';
import { StatusDetails } from './status-details.tsx';
import { useAppointmentFlags } from './use-appointment-flags.ts';
import { useMarks } from './use-mark-appointment.ts';

const BACK_LINK = { href: '/appointments', label: 'Appointments' };
/** Polling interval while an outcome is unknown: no live event reports that a pending change failed. */
const POLL_INTERVAL_MS = 5_000;

/** One appointment: patient, time, place, status, timeline and actions. */
export function AppointmentPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const shown = useQuery({
    ...trpc.appointments.show.queryOptions({ id }),
    refetchInterval: ({ state }) => (state.data?.under_way ? POLL_INTERVAL_MS : false),
  });
  const flagsOf = useAppointmentFlags([id]);
  if (shown.error)
    return (
      <RecordError
        error={shown.error}
        what="appointment"
        icon={CalendarClock}
        back={BACK_LINK}
        hint="Look for it in the list."
        onRetry={() => void shown.refetch()}
      />
    );
  if (!shown.data || !flagsOf) return <PageSkeleton title="Appointment" />;
  return <Loaded {...shown.data} flags={flagsOf(id)} />;
}

function Loaded({
  visit: appointment,
  cannot_move,
  under_way: pending,
  video_test: test,
  lacks_date_of_birth,
  no_show_due_at,
  flags,
}: AppointmentPageView & { flags: AppointmentFlagsView | undefined }) {
  const [open, setOpen] = useState<AppointmentDialogKind | 'task' | null>(null);
  const mayReadHistory = useMay('charts:read');
  const timeline = useTimeline({ patient_id: appointment.patient_id, object_id: appointment.id, of: 'visits' });
  // All queries start at once; lower sections wait for those above, which prevents layout shifts.
  const [notes, call, messages] = [
    useNotes({ patientId: appointment.patient_id, appointmentId: appointment.id }),
    useCall(appointment.id),
    useAppointmentMessages(appointment.id),
  ];
  // `isLoading`: without the permission, notes are never loaded.
  const isAbove = !notes.isLoading && !call.isPending;
  const now = useNow();
  const phase = phaseOf(appointment, now);
  const actions = allowedActions(appointment, now, useMe().permissions);
  // After the end, what is still to be noted comes first.
  const isJoinFirst = actions.includes('join') && hasOpenLink(phase);
  const { marks, undo } = useMarks(appointment);
  const title = appointment.appointment_type;
  const entries: ActionEntry[] = [
    // Beside the button to join there is no room for them.
    ...(isJoinFirst ? marks : []),
    ...(actions.includes('join') && !isJoinFirst
      ? [{ kind: 'link' as const, label: joinLabel(appointment), icon: Video, href: joinLink(appointment) }]
      : []),
    {
      ...{ kind: 'action', needs: 'tasks:write' },
      ...{ label: 'Follow up', icon: ListPlus, onSelect: () => setOpen('task') },
    },
    ...(actions.includes('cancel')
      ? [
          {
            kind: 'action' as const,
            label: 'Cancel appointment',
            icon: CalendarX,
            danger: true,
            onSelect: () => setOpen('cancel'),
          },
        ]
      : []),
  ];
  return (
    <>
      <title>{`${title} · Carelane`}</title>
      <PageHeader
        back={BACK_LINK}
        title={title}
        meta={
          <>
            <StatusBadge kind="appointment" status={shownStatus(appointment)} />
            <AppointmentFlags appointment={appointment} flags={flags} />
          </>
        }
        description={<PatientAndCalendar appointment={appointment} />}
        actions={
          <>
            {isJoinFirst && (
              <Button variant="primary" asChild>
                <a href={joinLink(appointment)} target="_blank" rel="noopener noreferrer">
                  <Video aria-hidden />
                  {joinLabel(appointment)}
                </a>
              </Button>
            )}
            {actions.includes('move') && !cannot_move && (
              <Button onClick={() => setOpen('move')}>
                <RefreshCw aria-hidden />
                Move
              </Button>
            )}
            <MarkButtons entries={[...(isJoinFirst ? [] : marks), ...undo]} />
            <ActionMenu
              label="More actions"
              trigger={
                <Button aria-label="More actions">
                  <MoreHorizontal aria-hidden />
                </Button>
              }
              entries={entries}
            />
          </>
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="grid min-w-0 gap-6">
          <Card aria-label="When it is" className="grid gap-3 px-4 py-3">
            <AppointmentTimes appointment={appointment} />
            <StatusDetails appointment={appointment} phase={phase} pending={pending} noShowDueAt={no_show_due_at} />
            {actions.includes('move') && cannot_move && <p className="wrap-anywhere">{cannot_move}</p>}
            {lacks_date_of_birth && hasOpenLink(phase) && <LacksDateOfBirth patientId={appointment.patient_id} />}
          </Card>
          <NotesSection patientId={appointment.patient_id} appointmentId={appointment.id} />
          {isAbove && <CallCard appointment={appointment} />}
          {isAbove && <AppointmentMessages appointment={appointment} />}
          {mayReadHistory && isAbove && !messages.isPending && (
            <ObjectTimeline
              timeline={timeline}
              // The appointment's name is redundant on its own page; its time is not.
              shorten={(line) => ({ ...line, about: line.about && { ...line.about, name: null } })}
            />
          )}
        </div>
        <AppointmentFacts
          appointment={appointment}
          hasLink={hasOpenLink(phase)}
          bookedBy={bookerOf(timeline.rows, timeline.more.hasMore)}
          test={test}
          onNewLink={() => setOpen('new_link')}
        />
      </div>
      {open === 'task' ? (
        <NewTaskDialog start={followUp(appointment)} onClose={() => setOpen(null)} />
      ) : (
        open && <AppointmentDialog kind={open} appointment={appointment} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

/** The patient and the calendar of the appointment. */
function PatientAndCalendar({ appointment: { patient_id, calendar } }: { appointment: AppointmentPageView['visit'] }) {
  const patient = usePatientLabels([patient_id])?.(patient_id);
  return (
    <>
      <Link href={`/patients/${patient_id}`} className="rounded-sm font-medium text-ink wrap-anywhere hover:underline">
        <PatientName patient={patient} />
      </Link>
      {patient?.birthDate && (
        <>
          , <BirthDate date={patient.birthDate} />
        </>
      )}
      , with {calendar}
    </>
  );
}

/** Actor of the first timeline entry, which is the booking; null until all older entries are loaded. */
const bookerOf = (lines: TimelineEntryView[] | undefined, hasMore: boolean): string | null =>
  (!hasMore && lines?.at(-1)?.by) || null;

/** Time of an appointment in the reader's and in the calendar's time zone; shown once when both are equal. */
function AppointmentTimes({ appointment }: { appointment: AppointmentView }) {
  const zone = useReaderZone();
  const { from_date, time_zone } = appointment;
  const isSame = isSameLocalTime(from_date, zone, time_zone);
  return (
    <dl className="grid gap-3 sm:grid-cols-2">
      <Clock
        term={isSame ? `In ${zoneName(time_zone)}` : `On your clock, ${zoneName(zone)}`}
        appointment={appointment}
        zone={zone}
      />
      {!isSame && (
        <Clock term={`On the calendar’s clock, ${zoneName(time_zone)}`} appointment={appointment} zone={time_zone} />
      )}
    </dl>
  );
}

function Clock({ term, appointment, zone }: { term: string; appointment: AppointmentView; zone: string }) {
  const { from_date, to_date, duration_minutes } = appointment;
  return (
    <div>
      <dt className="text-[13px] text-muted">{term}</dt>
      <dd className="tabular-nums">
        <time dateTime={from_date} className="block font-medium">
          {formatInstant(from_date, 'weekday', zone)}
        </time>
        {formatInstant(from_date, 'time', zone)} to {formatInstant(to_date, 'time', zone)}
        <span className="text-muted"> · {duration_minutes} min</span>
      </dd>
    </div>
  );
}

type AppointmentFactsProps = {
  appointment: AppointmentView;
  hasLink: boolean;
  bookedBy: string | null;
  test: VisitTestResult | null;
  onNewLink: () => void;
};

/** Practitioner, place and origin of an appointment. `bookedBy` is null until the timeline is loaded. */
function AppointmentFacts({ appointment, hasLink, bookedBy, test, onNewLink }: AppointmentFactsProps) {
  const { calendar, calendar_id, location, video_call_url, created_at, provider_appointment_id } = appointment;
  // A caller with the patient's link waits as the patient: it is for those who give it to them.
  const mayGiveLink = useMay('appointments:write');
  const isVideo = isByVideo(appointment);
  const site = roomsElsewhere(appointment);
  return (
    <Card>
      <CardHeader title="Practitioner and place" />
      <dl className="grid gap-3 p-4 sm:max-xl:grid-cols-2">
        <Fact term="With">
          <Link href={`/appointments?with=${calendar_id}`} className="rounded-sm hover:underline">
            {calendar}
          </Link>
        </Fact>
        <Fact term="Place">{!isVideo ? location : site ? `By video, at ${site}` : 'By video'}</Fact>
        {hasLink && mayGiveLink && (
          <Fact term={site ? 'Video link' : 'The patient’s video link'}>
            <span className="mt-0.5 flex flex-wrap gap-1.5">
              <CopyButton size="sm" value={video_call_url} label="Copy link" />
              <Button size="sm" onClick={onNewLink}>
                <RefreshCw aria-hidden />
                New link
              </Button>
            </span>
          </Fact>
        )}
        {isVideo && (hasLink || test) && (
          <Fact term="Camera and connection">
            <DeviceTestResult test={test} />
          </Fact>
        )}
        <Fact term={`Number at ${SCHEDULING_PROVIDER.name}`}>{provider_appointment_id}</Fact>
        {/* Last, because `bookedBy` loads later and must not shift other content. */}
        <Fact term="Booked">
          <DateTime value={created_at} />
          {bookedBy && <span className="block text-[13px] text-muted">{bookedBy}</span>}
        </Fact>
      </dl>
    </Card>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[13px] text-muted">{term}</dt>
      <dd className="wrap-anywhere">{children ?? <span className="text-muted">–</span>}</dd>
    </div>
  );
}

/** Result of the patient's camera, microphone and connection test before the appointment. */
function DeviceTestResult({ test }: { test: VisitTestResult | null }) {
  if (!test) return <span className="text-muted">Not tested yet</span>;
  const problems = deviceTestProblems(test);
  return (
    <>
      <span className="flex flex-wrap gap-1.5">
        {problems.length === 0 ? (
          <Badge tone="good">Everything worked</Badge>
        ) : (
          problems.map((message) => (
            <Badge key={message} tone="warn">
              {message}
            </Badge>
          ))
        )}
      </span>
      <span className="block text-[13px] text-muted">
        <DateTime value={test.at} />
      </span>
    </>
  );
}
