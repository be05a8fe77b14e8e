'use client';
import dynamic from 'next/dynamic';
import { Fragment, useState } from 'react';
import { AddButton } from '#web/ui/add-button.tsx';
import { addDays, formatInstant, localDate } from '#web/ui/format-time.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { TODAY_COLUMNS } from '../appointments/appointment-columns.tsx';
import { dayBounds } from '../appointments/day-bounds.ts';
import { type VisitFilter, WHOLE_DAY } from '../appointments/use-visits.ts';
import { useVisitsShown } from '../appointments/use-visits-shown.ts';
import { VisitsTable } from '../appointments/visits-table.tsx';
import { useMe } from '../me.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { AT_A_GLANCE, ComingUp } from './coming-up.tsx';
import { ToLookAfter } from './to-look-after.tsx';
import { TodayFigures } from './today-figures.tsx';
import { useNextSteps } from './use-next-steps.ts';
import { VisitsToMark } from './visits-to-mark.tsx';
import { CallMe } from './waiting/call-me.tsx';
import { WaitingNow } from './waiting/waiting-now.tsx';

const BookDialog = dynamic(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog), {
  ssr: false,
});

const NextStepsCard = dynamic(() => import('./next-steps-card.tsx').then((module) => module.NextStepsCard));

/** Number of days to look ahead: on a Friday it includes Monday. */
const COMING_DAYS = 3;

const WHOSE = [
  { value: 'all', label: 'All visits' },
  { value: 'mine', label: 'My visits' },
] as const;

export function TodayPage() {
  const { tenant, user } = useMe();
  const zone = tenant.time_zone;
  const [whose, setWhose] = useQueryParam('whose');
  const mine = whose === 'mine' && { practitioner_id: user.id };
  const [now] = useState(() => new Date());
  const [booking, setBooking] = useState(false);
  const today = localDate(now, zone);
  const { start, end } = dayBounds(today, zone);
  const filter: VisitFilter = { ...mine, scheduled_after: start, scheduled_before: end, sort_by: 'from_date' };
  const coming: VisitFilter = {
    ...mine,
    scheduled_after: end,
    scheduled_before: dayBounds(addDays(today, COMING_DAYS), zone).end,
    sort_by: 'from_date',
  };
  // Sections below the day's appointments appear together, which prevents layout shifts.
  const isDayShown = useVisitsShown(filter, WHOLE_DAY);
  const isShown = useVisitsShown(coming, AT_A_GLANCE) && isDayShown;
  const steps = useNextSteps();
  const book = <AddButton onClick={() => setBooking(true)}>Book visit</AddButton>;
  // A clinic that cannot book yet sees the steps before that.
  const canBook = !steps || (steps.times !== 'open' && steps.patient === 'done');
  return (
    <>
      <PageHeader
        title="Today"
        description={formatInstant(now.toISOString(), 'day', zone)}
        actions={
          <>
            <CallMe />
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
            <ViewTabs
              label="Whose visits"
              options={WHOSE}
              value={mine ? 'mine' : 'all'}
              onChange={(next) => setWhose(next === 'mine' ? 'mine' : '')}
            />
          </>
        )}
        <VisitsTable
          size={WHOLE_DAY}
          label="Visits today"
          columns={TODAY_COLUMNS}
          filter={filter}
          empty={{
            title: 'No visits today',
            description: 'Visits that are booked for today show here in order.',
            ...(canBook && { action: book }),
          }}
        />
        {!steps && isShown && <VisitsToMark filter={filter} />}
      </Fragment>
      {isShown && <ComingUp filter={coming} />}
      <ToLookAfter isShown={isShown} isBeginning={steps !== null} />
      {booking && <BookDialog open onOpenChange={setBooking} />}
    </>
  );
}
