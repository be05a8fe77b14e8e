'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { BellRing, CalendarSearch, CalendarX, type LucideIcon, MailQuestion, Plug, UserX } from 'lucide-react';
import dynamic from 'next/dynamic';
import { Fragment, useState } from 'react';
import type { IntegrationProvider } from '#contract/integrations.ts';
import type { Permission } from '#contract/roles.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Badge } from '#web/ui/badge.tsx';
import { AddButton, Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { Stat } from '#web/ui/fact.tsx';
import { addDays, formatInstant, formatRelative } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { ISSUE_OPTIONS, phaseOf } from '../appointments/appointment.ts';
import { APPOINTMENT_COLUMNS, TODAY_COLUMNS } from '../appointments/appointment-columns.tsx';
import { AppointmentDialog } from '../appointments/appointment-dialog.tsx';
import { STATUSES } from '../appointments/appointment-filters.ts';
import { AppointmentsTable } from '../appointments/appointments-table.tsx';
import { dayBounds } from '../appointments/local-time.ts';
import {
  type AppointmentFilter,
  useAppointments,
  useAppointmentsLoaded,
  WHOLE_DAY,
} from '../appointments/use-appointments.ts';
import { useMay, useMe, useSeesPatients } from '../me.tsx';
import { useNow } from '../now.tsx';
import { BirthDate, PatientName } from '../patients/patient-labels.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { MyTasks, useMyTasks } from '../tasks/my-tasks.tsx';
import { useToday } from '../tasks/use-today.ts';
import { unmatchedLabel, useUnmatched } from '../unmatched/unmatched-notice.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { lateAppointmentIds, likelyNoShows } from './likely-no-shows.ts';
import { getNextSteps, type NextSteps } from './next-steps.ts';
import { AlertSettings } from './waiting/alert-settings.tsx';
import { WaitingNow } from './waiting/waiting-now.tsx';

/** From this time after the start, a patient who is not there is late. */
const LATE_MS = 5 * 60_000;

/**
 * Lists today's appointments that began some minutes ago or are over, to note a no-show. Renders nothing when there are
 * none.
 */
function AppointmentsToMark({ filter }: { filter: AppointmentFilter }) {
  const now = useNow();
  const zone = useReaderZone();
  const { rows } = useAppointments(filter, WHOLE_DAY);
  const started = rows?.filter(
    (appointment) => appointment.status === 'scheduled' && Date.parse(appointment.from_date) + LATE_MS <= now,
  );
  const labelOf = usePatientLabels(rows?.map((appointment) => appointment.patient_id));
  const trpc = useTRPC();
  const late = lateAppointmentIds(started ?? [], now);
  // Arrivals come as live changes; an appointment that becomes late changes the query.
  const attendance = useQuery({
    ...trpc.visits.attendance.queryOptions({ ids: late }),
    enabled: late.length > 0,
    placeholderData: keepPreviousData,
  });
  const missed = likelyNoShows(attendance.data ?? []);
  const [toMark, setToMark] = useState<AppointmentView | null>(null);
  if (!started?.length || !labelOf) return null;
  return (
    <Card aria-label="Did they come?" className="mt-5 print:hidden">
      <CardHeader
        title="Did they come?"
        description="These appointments have begun, and no patient is noted as missing. If all came, there is nothing to do."
      />
      <ul className="divide-y divide-line">
        {started.map((appointment) => (
          <li key={appointment.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-48">
              <Link
                href={`/appointments/${appointment.id}`}
                className="rounded-sm font-medium wrap-anywhere hover:underline"
              >
                <PatientName patient={labelOf(appointment.patient_id)} />
              </Link>{' '}
              <BirthDate date={labelOf(appointment.patient_id)?.birthDate} />
              <p className="text-[13px] text-muted wrap-anywhere">
                {formatInstant(appointment.from_date, 'time', zone)} with {appointment.calendar},{' '}
                {phaseOf(appointment, now) === 'running'
                  ? `began ${formatRelative(appointment.from_date, now)}`
                  : 'over'}
              </p>
              {missed.has(appointment.id) && (
                <Badge tone="warn" wraps className="mt-1">
                  The patient was never in the call
                </Badge>
              )}
            </div>
            <Button
              size="sm"
              variant={missed.has(appointment.id) ? 'primary' : 'secondary'}
              onClick={() => setToMark(appointment)}
            >
              <UserX aria-hidden />
              Did not come
            </Button>
          </li>
        ))}
      </ul>
      {toMark && <AppointmentDialog kind="no_show" appointment={toMark} onClose={() => setToMark(null)} />}
    </Card>
  );
}

type Line = { icon: LucideIcon; text: string; href: string | null };

const ISSUES = ISSUE_OPTIONS.map(({ value }) => value);

/** `needs`: the permission of those whose work a problem of the provider holds up. */
const PROVIDERS: Record<IntegrationProvider, { name: string; needs: Permission; disconnected: string }> = {
  stripe: {
    name: 'Stripe',
    needs: 'subscriptions:write',
    disconnected: 'It is not connected, and nothing can be billed here.',
  },
  [SCHEDULING_PROVIDER.id]: {
    name: SCHEDULING_PROVIDER.name,
    needs: 'appointments:write',
    // For a clinic that has had appointments.
    disconnected: 'It is disconnected, and nothing can be booked, moved or canceled here.',
  },
};

const linkedCount = (
  total: { count: number; capped: boolean } | undefined,
  singular: string,
  plural: string,
): string | null =>
  total && total.count > 0
    ? `${total.capped ? 'More than ' : ''}${total.count} ${total.count === 1 && !total.capped ? singular : plural}`
    : null;

/**
 * Problems and open ends, each with a link to its page, for those who may look after them. Renders nothing without any,
 * or until the content above is shown.
 */
function ToLookAfter({ isShown, isBeginning }: { isShown: boolean; isBeginning: boolean }) {
  const trpc = useTRPC();
  const { permissions } = useMe();
  const mayConnect = useMay('settings:manage');
  const invited = useQuery({
    ...trpc.patients.list.queryOptions({ by_status: 'invited', size: 1, with_total: true }),
    enabled: useMay('patients:write'),
  });
  const unpaid = useQuery({
    ...trpc.subscriptions.list.queryOptions({ needs_attention: true, size: 1, with_total: true }),
    enabled: useMay('subscriptions:write'),
  });
  const unmovable = useQuery({
    ...trpc.appointments.list.queryOptions({ scheduling_issue: ISSUES, size: 1, with_total: true }),
    enabled: useMay('appointments:write'),
  });
  const unmatched = useUnmatched();
  const unmatchedTotal = unmatched.data?.total;
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const invitations = linkedCount(invited.data?.total, 'invitation is not answered', 'invitations are not answered');
  const payments = linkedCount(unpaid.data?.total, 'subscription needs attention', 'subscriptions need attention');
  const unmovableAppointments = linkedCount(
    unmovable.data?.total,
    'appointment ahead cannot be moved',
    'appointments ahead cannot be moved',
  );
  const lines: Line[] = [
    ...(integrations.data ?? [])
      // The next steps say it already.
      .filter(({ status }) => status !== 'connected' && !isBeginning)
      .filter(({ provider }) => mayConnect || permissions.includes(PROVIDERS[provider].needs))
      .map(({ provider, status, findings }) => {
        const first = findings.find(({ advice }) => !advice) ?? findings[0];
        const { name, disconnected } = PROVIDERS[provider];
        const problem = status === 'disconnected' ? disconnected : (first?.message ?? 'It does not work as it should.');
        return {
          icon: Plug,
          text: `${name}: ${problem}${mayConnect ? '' : ' Ask an administrator.'}`,
          href: mayConnect ? '/settings/integrations' : null,
        };
      }),
    ...(unmatchedTotal && unmatchedTotal.count > 0
      ? [{ icon: CalendarSearch, text: unmatchedLabel(unmatchedTotal), href: '/appointments/unmatched' }]
      : []),
    ...(unmovableAppointments
      ? [{ icon: CalendarX, text: unmovableAppointments, href: `/appointments?issue=${ISSUES.join(',')}` }]
      : []),
    ...(payments ? [{ icon: BellRing, text: payments, href: '/subscriptions?attention=1' }] : []),
    ...(invitations ? [{ icon: MailQuestion, text: invitations, href: '/patients?status=invited' }] : []),
  ];
  // Rendered at once: lines that appear later would move others under the pointer.
  const isLoading = [invited, unpaid, unmovable, unmatched, integrations].some((query) => query.isLoading);
  if (!isShown || isLoading || lines.length === 0) return null;
  return (
    <Card aria-label="To look after" className="mt-7 print:hidden">
      <CardHeader title="To look after" />
      <ul className="divide-y divide-line">
        {lines.map(({ icon: Icon, text, href }) => (
          <li key={text} className="flex items-center gap-3 px-4 py-2.5">
            <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            {href ? (
              <Link href={href} className="min-h-6 rounded-sm wrap-anywhere hover:underline">
                {text}
              </Link>
            ) : (
              <span className="wrap-anywhere">{text}</span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const MAX_COMING_UP = 5;

/** The first appointments of the days after today; renders nothing when there are none. */
function ComingUp({ filter }: { filter: AppointmentFilter }) {
  const { rows } = useAppointments(filter, MAX_COMING_UP);
  const labelOf = usePatientLabels(rows?.map((appointment) => appointment.patient_id));
  // Waits for the names, like today's appointments above: shown earlier, it would be pushed down by them.
  if (!rows?.length || !labelOf) return null;
  return (
    <section aria-labelledby="coming-up" className="mt-7">
      <div className="mb-2 flex items-baseline justify-between gap-3">
        <h2 id="coming-up" className="font-semibold">
          Coming up
        </h2>
        <Link href="/appointments" className="inline-block py-0.5 text-[13px] text-accent-ink hover:underline">
          All appointments
        </Link>
      </div>
      <AppointmentsTable
        size={MAX_COMING_UP}
        label="Appointments of the next days"
        columns={APPOINTMENT_COLUMNS}
        filter={filter}
        empty={{ title: 'Nothing booked yet', description: 'Appointments of the next days show here.' }}
      />
    </section>
  );
}

const BookDialog = dynamic(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog), {
  ssr: false,
});

const NextStepsCard = dynamic(() => import('./next-steps-card.tsx').then((module) => module.NextStepsCard));

/** Number of days to look ahead: on a Friday it includes Monday. */
const COMING_UP_DAYS = 3;

const SCOPES = [
  { value: 'all', label: 'All appointments' },
  { value: 'mine', label: 'My appointments' },
] as const;

export function TodayPage() {
  const { tenant, user } = useMe();
  const zone = tenant.time_zone;
  const [whose, setWhose] = useQueryParam('whose');
  // No other role has a calendar.
  const seesPatients = useSeesPatients();
  const mine = seesPatients && whose === 'mine' && { practitioner_id: user.id };
  const now = useNow();
  const [isBooking, setBooking] = useState(false);
  const today = useToday();
  const { start, end } = dayBounds(today, zone);
  const filter: AppointmentFilter = { ...mine, scheduled_after: start, scheduled_before: end, sort_by: 'from_date' };
  const upcoming: AppointmentFilter = {
    ...mine,
    scheduled_after: end,
    scheduled_before: dayBounds(addDays(today, COMING_UP_DAYS), zone).end,
    sort_by: 'from_date',
  };
  // Sections below the day's appointments appear together, which prevents layout shifts.
  const isDayShown = useAppointmentsLoaded(filter, WHOLE_DAY);
  const areAppointmentsShown = useAppointmentsLoaded(upcoming, MAX_COMING_UP) && isDayShown;
  const isShown = !useMyTasks().isLoading && areAppointmentsShown;
  const steps = useNextSteps();
  const mayBook = useMay('appointments:write');
  const book = mayBook && <AddButton onClick={() => setBooking(true)}>Book appointment</AddButton>;
  // A clinic that cannot book yet sees the steps before that.
  const canBook = !steps || (steps.times !== 'open' && steps.patient === 'done');
  return (
    <>
      <PageHeader
        title="Today"
        description={formatInstant(new Date(now).toISOString(), 'day', zone)}
        actions={
          <>
            {mayBook && <AlertSettings />}
            {book}
          </>
        }
      />
      <WaitingNow />
      {/* Remounted together with the steps, which prevents layout shifts. */}
      <Fragment key={steps ? 'beginning' : 'running'}>
        {steps ? (
          <NextStepsCard steps={steps} />
        ) : (
          <>
            <TodayFigures filter={filter} now={now} />
            {seesPatients && (
              <ViewTabs
                label="Whose appointments"
                options={SCOPES}
                value={mine ? 'mine' : 'all'}
                onChange={(next) => setWhose(next === 'mine' ? 'mine' : '')}
              />
            )}
          </>
        )}
        <AppointmentsTable
          size={WHOLE_DAY}
          label="Appointments today"
          columns={TODAY_COLUMNS}
          filter={filter}
          empty={{
            title: 'No appointments today',
            description: 'Appointments that are booked for today show here in order.',
            ...(canBook && { action: book }),
          }}
        />
        {!steps && isShown && mayBook && <AppointmentsToMark filter={filter} />}
      </Fragment>
      {isShown && <MyTasks />}
      {isShown && <ComingUp filter={upcoming} />}
      <ToLookAfter isShown={isShown} isBeginning={steps !== null} />
      {isBooking && <BookDialog open onOpenChange={setBooking} />}
    </>
  );
}

/** Key figures of the day. Only booked appointments count. */
function TodayFigures({ filter, now }: { filter: AppointmentFilter; now: number }) {
  const zone = useReaderZone();
  const { rows, error } = useAppointments(filter, WHOLE_DAY);
  if (error) return null;
  const loading = !rows;
  const upcoming = rows?.filter((appointment) => Date.parse(appointment.from_date) > now);
  const next = upcoming?.[0];
  return (
    <dl className="mb-5 grid grid-cols-3 gap-3 max-md:gap-2">
      <Stat label="Booked" value={rows?.length} loading={loading} />
      <Stat label="Still to come" value={upcoming?.length} loading={loading} />
      <Stat label="Next" value={next ? formatInstant(next.from_date, 'time', zone) : '–'} loading={loading} />
    </dl>
  );
}

/**
 * Steps that a clinic still needs before its first day; null when none is missing, until known, and for staff who may do
 * none of them.
 */
function useNextSteps(): NextSteps | null {
  const trpc = useTRPC();
  const mayAdd = useMay('patients:write');
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const patients = useQuery({ ...trpc.patients.list.queryOptions({ size: 1 }), enabled: mayAdd });
  const lacksTimes = integrations.data?.some(
    ({ provider, status }) => provider === SCHEDULING_PROVIDER.id && status !== 'connected',
  );
  const appointments = useQuery({
    ...trpc.appointments.list.queryOptions({ status: STATUSES, size: 1 }),
    enabled: mayAdd && lacksTimes === true,
  });
  if (!mayAdd || !integrations.data || !patients.data || (lacksTimes && !appointments.data)) return null;
  return getNextSteps({
    integrations: integrations.data,
    hasPatients: patients.data.items.length > 0,
    hasAppointments: (appointments.data?.items.length ?? 0) > 0,
  });
}
