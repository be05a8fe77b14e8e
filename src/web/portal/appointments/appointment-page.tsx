'use client';
import { useQuery } from '@tanstack/react-query';
import { CalendarClock, CalendarX, MoreHorizontal, RefreshCw, UserX, Video } from 'lucide-react';
import Link from 'next/link';
import { type ReactNode, useState } from 'react';
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
import { DropdownMenu, type MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { appointmentTime, formatInstant, isSameLocalTime, zoneName } from '#web/ui/format-time.ts';
import { OutcomeStatus } from '#web/ui/outcome-tracker.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { RecordError } from '#web/ui/record-error.tsx';
import { PageSkeleton } from '#web/ui/skeleton.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { AppointmentMessages, useAppointmentMessages } from '../appointment-messages/appointment-messages.tsx';
import { PatientName } from '../patients/patient-name.tsx';
import { usePatientNames } from '../patients/use-patient-names.ts';
import { ObjectTimeline } from '../timeline/object-timeline.tsx';
import { useTimeline } from '../timeline/use-timeline.ts';
import { AppointmentDialog, type AppointmentDialogKind } from './appointment-dialog.tsx';
import { type AppointmentPhase, allowedActions } from './appointment-phase.ts';
import { CallCard, useCall } from './call-card.tsx';
import { deviceTestProblems } from './device-test-labels.ts';
import { joinLink } from './join-link.ts';
import { LacksDateOfBirth } from './lacks-date-of-birth.tsx';
import { StaffNote, useStaffNote } from './staff-note.tsx';
import { usePhase } from './use-phase.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;
const BACK = { href: '/appointments', label: 'Appointments' };
/** Polling interval while an outcome is unknown: no live event reports that a pending change failed. */
const LOOK_EVERY_MS = 5_000;

/** One appointment: patient, time, place, status, timeline and actions. */
export function AppointmentPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const shown = useQuery({
    ...trpc.appointments.show.queryOptions({ id }),
    refetchInterval: ({ state }) => (state.data?.under_way ? LOOK_EVERY_MS : false),
  });
  if (shown.error)
    return (
      <RecordError
        error={shown.error}
        what="visit"
        icon={CalendarClock}
        back={BACK}
        hint="Look for it in the list."
        onRetry={() => void shown.refetch()}
      />
    );
  return shown.data ? <Loaded {...shown.data} /> : <PageSkeleton />;
}

function Loaded({
  visit,
  cannot_move,
  under_way: underWay,
  video_test: test,
  lacks_date_of_birth,
}: AppointmentPageView) {
  const [open, setOpen] = useState<AppointmentDialogKind | null>(null);
  const story = useTimeline({ patient_id: visit.patient_id, object_id: visit.id });
  // All queries start at once; lower sections wait for those above, which prevents layout shifts.
  const [note, call, messages] = [useStaffNote(visit.id), useCall(visit.id), useAppointmentMessages(visit.id)];
  const isAbove = !note.isPending && !call.isPending;
  const phase = usePhase(visit);
  const acts = allowedActions(phase);
  const title = visit.appointment_type;
  const entries: MenuEntry[] = [
    ...(acts.includes('no_show') && acts.includes('join')
      ? [{ kind: 'action' as const, label: 'Did not come', icon: UserX, onSelect: () => setOpen('no_show') }]
      : []),
    ...(acts.includes('cancel')
      ? [
          {
            kind: 'action' as const,
            label: 'Cancel visit',
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
        back={BACK}
        title={title}
        meta={<StatusBadge kind="appointment" status={visit.status} />}
        description={<Between visit={visit} />}
        actions={
          <>
            {acts.includes('join') && (
              <Button variant="primary" asChild>
                <a href={joinLink(visit)} target="_blank" rel="noopener noreferrer">
                  <Video aria-hidden />
                  Join by video
                </a>
              </Button>
            )}
            {acts.includes('move') && !cannot_move && (
              <Button onClick={() => setOpen('move')}>
                <RefreshCw aria-hidden />
                Move
              </Button>
            )}
            {acts.includes('no_show') && !acts.includes('join') && (
              <Button onClick={() => setOpen('no_show')}>
                <UserX aria-hidden />
                Did not come
              </Button>
            )}
            {entries.length > 0 && (
              <DropdownMenu
                label="More actions"
                trigger={
                  <Button aria-label="More actions">
                    <MoreHorizontal aria-hidden />
                  </Button>
                }
                entries={entries}
              />
            )}
          </>
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="grid min-w-0 gap-6">
          <Card aria-label="When it is" className="grid gap-3 px-4 py-3">
            <VisitTimes visit={visit} />
            <HowItStands visit={visit} phase={phase} underWay={underWay} />
            {acts.includes('move') && cannot_move && <p className="wrap-anywhere">{cannot_move}</p>}
            {lacks_date_of_birth && acts.includes('join') && <LacksDateOfBirth patientId={visit.patient_id} />}
          </Card>
          <Card aria-label="Note for staff" className="px-4 py-3">
            <StaffNote visitId={visit.id} />
          </Card>
          {isAbove && <CallCard visit={visit} />}
          {isAbove && <AppointmentMessages visitId={visit.id} />}
          {isAbove && !messages.isPending && (
            <ObjectTimeline
              story={story}
              // The appointment's name is redundant on its own page; its time is not.
              shorten={(line) => ({ ...line, about: line.about && { ...line.about, name: null } })}
            />
          )}
        </div>
        <VisitFacts
          visit={visit}
          canJoin={acts.includes('join')}
          bookedBy={bookerOf(story.rows, story.more.hasMore)}
          test={test}
          onNewLink={() => setOpen('new_link')}
        />
      </div>
      {open && <AppointmentDialog of={open} appointment={visit} onClose={() => setOpen(null)} />}
    </>
  );
}

/** The patient and the calendar of the appointment. */
function Between({ visit: { patient_id, calendar } }: Pick<AppointmentPageView, 'visit'>) {
  const nameOf = usePatientNames([patient_id]);
  return (
    <>
      <Link href={`/patients/${patient_id}`} className="rounded-sm font-medium text-ink wrap-anywhere hover:underline">
        <PatientName name={nameOf?.(patient_id)} />
      </Link>{' '}
      with {calendar}
    </>
  );
}

/** Actor of the first timeline entry, which is the booking; null until all older entries are loaded. */
const bookerOf = (lines: TimelineEntryView[] | undefined, hasMore: boolean): string | null =>
  (!hasMore && lines?.at(-1)?.by) || null;

const STANDS = {
  ahead: '',
  running: 'It takes place now.',
  over: 'It is over. If the patient did not come, note it here.',
} as const;

/** Explanations of cancellations that no person made. */
const BECAUSE = {
  gone_at_provider: `It was canceled here because ${PROVIDER} has it no more.`,
  former_account: `It was canceled here alone: it was in an ${PROVIDER} account that is not connected any more.`,
};

type Standing = {
  visit: AppointmentPageView['visit'];
  phase: AppointmentPhase;
  underWay: AppointmentPageView['under_way'];
};

function HowItStands({ visit, phase, underWay }: Standing) {
  const zone = useReaderZone();
  const checking =
    underWay &&
    {
      move: `${PROVIDER} has not said yet whether the visit is moved${underWay.to ? ` to ${appointmentTime(underWay.to, zone, visit.time_zone)}` : ''}. We are asking; until then both times are held.`,
      cancel: `${PROVIDER} has not said yet whether the visit is canceled. We are asking; it shows here once ${PROVIDER} answers.`,
      no_show: `${PROVIDER} has not said yet whether it has noted that the patient did not come. We are asking.`,
    }[underWay.what];
  const words =
    phase !== 'ended'
      ? STANDS[phase]
      : visit.status === 'no_show'
        ? 'The patient did not come.'
        : visit.cancel_reason
          ? `It was canceled: “${visit.cancel_reason}”`
          : visit.canceled_because
            ? BECAUSE[visit.canceled_because]
            : 'It was canceled. No reason was given.';
  return (
    <>
      {words && <p className="wrap-anywhere">{words}</p>}
      <OutcomeStatus message={checking} />
    </>
  );
}

/** Time of an appointment in the reader's and in the calendar's time zone; shown once when both are equal. */
function VisitTimes({ visit }: { visit: AppointmentView }) {
  const zone = useReaderZone();
  const { from_date, time_zone } = visit;
  const isSame = isSameLocalTime(from_date, zone, time_zone);
  return (
    <dl className="grid gap-3 sm:grid-cols-2">
      <Clock
        term={isSame ? `In ${zoneName(time_zone)}` : `On your clock, ${zoneName(zone)}`}
        visit={visit}
        zone={zone}
      />
      {!isSame && <Clock term={`On the calendar’s clock, ${zoneName(time_zone)}`} visit={visit} zone={time_zone} />}
    </dl>
  );
}

function Clock({ term, visit, zone }: { term: string; visit: AppointmentView; zone: string }) {
  const { from_date, to_date, duration_minutes } = visit;
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

type VisitFactsProps = {
  visit: AppointmentView;
  canJoin: boolean;
  bookedBy: string | null;
  test: VisitTestResult | null;
  onNewLink: () => void;
};

/** Practitioner, place and origin of an appointment. `bookedBy` is null until the timeline is loaded. */
function VisitFacts({ visit, canJoin, bookedBy, test, onNewLink }: VisitFactsProps) {
  const { calendar, calendar_id, location, video_call_url, created_at, provider_appointment_id } = visit;
  const isByVideo = location === null || location === video_call_url;
  return (
    <Card>
      <CardHeader title="Practitioner and place" />
      <dl className="grid gap-3 p-4 sm:max-xl:grid-cols-2">
        <Fact term="With">
          <Link href={`/appointments?with=${calendar_id}`} className="rounded-sm hover:underline">
            {calendar}
          </Link>
        </Fact>
        <Fact term="Place">{isByVideo ? 'By video' : location}</Fact>
        {canJoin && (
          <Fact term="Video link">
            <span className="mt-0.5 flex flex-wrap gap-1.5">
              <CopyButton size="sm" value={video_call_url} label="Copy link" />
              <Button size="sm" onClick={onNewLink}>
                <RefreshCw aria-hidden />
                New link
              </Button>
            </span>
          </Fact>
        )}
        {isByVideo && (canJoin || test) && (
          <Fact term="Camera and line">
            <TriedOut test={test} />
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
function TriedOut({ test }: { test: VisitTestResult | null }) {
  if (!test) return <span className="text-muted">Not tried out yet</span>;
  const troubles = deviceTestProblems(test);
  return (
    <>
      <span className="flex flex-wrap gap-1.5">
        {troubles.length === 0 ? (
          <Badge tone="good">All was well</Badge>
        ) : (
          troubles.map((words) => (
            <Badge key={words} tone="warn">
              {words}
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
