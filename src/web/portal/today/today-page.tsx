'use client';
import { Download, Printer } from 'lucide-react';
import dynamic from 'next/dynamic';
import { Fragment, useState } from 'react';
import { AddButton, Button } from '#web/ui/button.tsx';
import { addDays, formatInstant } from '#web/ui/format-time.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { exportOf, NOTHING_NOTED } from '../appointments/appointment-filters.ts';
import { dayBounds } from '../appointments/local-time.ts';
import { useAppointmentFlags } from '../appointments/use-appointment-flags.ts';
import {
  type AppointmentFilter,
  useAppointments,
  useAppointmentsLoaded,
  WHOLE_DAY,
} from '../appointments/use-appointments.ts';
import { useMay, useMe } from '../me.tsx';
import { useDayIn } from '../now.tsx';
import { MyTasks, useMyTasks } from '../tasks/my-tasks.tsx';
import { useDownload } from '../use-download.ts';
import { AppointmentsToMark, EARLIER_SIZE } from './appointments-to-mark.tsx';
import { ComingUp, MAX_COMING_UP } from './coming-up.tsx';
import { DayFigures } from './day-figures.tsx';
import { DayTable } from './day-table.tsx';
import { ToLookAfter } from './to-look-after.tsx';
import { useNextSteps } from './use-next-steps.ts';
import { AlertSettings } from './waiting/alert-settings.tsx';
import { WaitingNow } from './waiting/waiting-now.tsx';
import { useWhose } from './whose.ts';

const BookDialog = lazyComponent(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog));

const NextStepsCard = dynamic(() => import('./next-steps-card.tsx').then((module) => module.NextStepsCard));

/** Number of days to look ahead: on a Friday it includes Monday. */
const COMING_UP_DAYS = 3;
/** Number of days to look back for appointments of which nothing is noted. */
const EARLIER_DAYS = 7;

const SCOPES = [
  { value: 'mine', label: 'My appointments' },
  { value: 'all', label: 'All appointments' },
] as const;

export function TodayPage() {
  const { tenant, user } = useMe();
  const zone = tenant.time_zone;
  const { whose, isKnown, canChoose, choose } = useWhose();
  const [isBooking, setBooking] = useState(false);
  const today = useDayIn(zone);
  const { start, end } = dayBounds(today, zone);
  const filterOf = (from: string, until: string): AppointmentFilter | null =>
    isKnown
      ? {
          ...(whose === 'mine' && { practitioner_id: user.id }),
          scheduled_after: from,
          scheduled_before: until,
          sort_by: 'from_date',
        }
      : null;
  const filter = filterOf(start, end);
  const upcoming = filterOf(end, dayBounds(addDays(today, COMING_UP_DAYS), zone).end);
  const mayBook = useMay('appointments:write');
  const mayExport = useMay('lists:export');
  const download = useDownload();
  const [firstDay, yesterday] = [addDays(today, -EARLIER_DAYS), addDays(today, -1)];
  const { sort_by, ...named } = filterOf(dayBounds(firstDay, zone).start, dayBounds(yesterday, zone).end) ?? {};
  const earlier = mayBook && isKnown ? { ...named, ...NOTHING_NOTED } : null;
  // Sections below the day's appointments appear together, which prevents layout shifts.
  const dayIds = useAppointments(filter, WHOLE_DAY).rows?.map(({ id }) => id);
  const areFlagsLoaded = useAppointmentFlags(dayIds) !== null;
  const isDayShown = useAppointmentsLoaded(filter, WHOLE_DAY) && areFlagsLoaded;
  const areAppointmentsShown = useAppointmentsLoaded(upcoming, MAX_COMING_UP) && isDayShown;
  const isEarlierShown = useAppointmentsLoaded(earlier, EARLIER_SIZE) || !mayBook;
  const isShown = !useMyTasks().isLoading && areAppointmentsShown && isEarlierShown;
  const steps = useNextSteps();
  const book = mayBook && <AddButton onClick={() => setBooking(true)}>Book appointment</AddButton>;
  // A clinic that cannot book yet sees the steps before that.
  const canBook = !steps || (steps.times !== 'open' && steps.patient === 'done');
  const empty =
    whose === 'mine'
      ? {
          title: 'No appointments of yours today',
          description: 'Appointments that are booked with you for today show here in order.',
          action: <Button onClick={() => choose('all')}>Show all appointments</Button>,
        }
      : {
          title: 'No appointments today',
          description: 'Appointments that are booked for today show here in order.',
          ...(canBook && { action: book }),
        };
  return (
    <>
      <PageHeader
        title="Today"
        description={formatInstant(start, 'day', zone)}
        actions={
          <>
            <Button onClick={() => window.print()} className="max-md:hidden">
              <Printer aria-hidden />
              Print
            </Button>
            {mayExport && filter && (
              <Button onClick={() => void download(exportOf(filter))} className="max-md:hidden">
                <Download aria-hidden />
                Export
              </Button>
            )}
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
            <DayFigures filter={filter} />
            {canChoose && <ViewTabs label="Whose appointments" options={SCOPES} value={whose} onChange={choose} />}
          </>
        )}
        <DayTable filter={filter} isOfOne={whose === 'mine'} empty={empty} />
        {!steps && isShown && mayBook && (
          <AppointmentsToMark
            filter={filter}
            earlier={earlier}
            earlierHref={`/appointments?view=past&attendance=open&from=${firstDay}&until=${yesterday}${whose === 'mine' ? `&with=${user.id}` : ''}`}
          />
        )}
      </Fragment>
      {isShown && <MyTasks />}
      {isShown && upcoming && <ComingUp filter={upcoming} />}
      <ToLookAfter isShown={isShown} isBeginning={steps !== null} />
      {isBooking && <BookDialog open onOpenChange={setBooking} />}
    </>
  );
}
