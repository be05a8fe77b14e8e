'use client';
import dynamic from 'next/dynamic';
import { Fragment, useState } from 'react';
import { AddButton } from '#portal/ui/add-button.tsx';
import { addDays, formatInstant, localDate } from '#portal/ui/format-time.ts';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { TODAY_COLUMNS } from '../appointments/appointment-columns.tsx';
import { dayBounds } from '../appointments/day-bounds.ts';
import { WHOLE_DAY } from '../appointments/use-visits.ts';
import { VisitsTable } from '../appointments/visits-table.tsx';
import { useMe } from '../me.tsx';
import { ComingUp } from './coming-up.tsx';
import { TodayFigures } from './today-figures.tsx';
import { useNextSteps } from './use-next-steps.ts';

const BookDialog = dynamic(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog), {
  ssr: false,
});

const NextStepsCard = dynamic(() => import('./next-steps-card.tsx').then((module) => module.NextStepsCard));

/** As far as a glance reaches: on a Friday it still finds the Monday. */
const COMING_DAYS = 3;

export function TodayPage() {
  const zone = useMe().tenant.time_zone;
  const [now] = useState(() => new Date());
  const [booking, setBooking] = useState(false);
  const today = localDate(now, zone);
  const { start, end } = dayBounds(today, zone);
  const filter = { scheduled_after: start, scheduled_before: end, sort_by: 'from_date' as const };
  const steps = useNextSteps();
  const book = <AddButton onClick={() => setBooking(true)}>Book visit</AddButton>;
  // A clinic that cannot book yet is offered what comes before.
  const canBook = !steps || (steps.times !== 'open' && steps.patient === 'done');
  return (
    <>
      <PageHeader title="Today" description={formatInstant(now.toISOString(), 'day', zone)} actions={book} />
      {/* Made anew with the steps: nothing that somebody looks at is pushed down by them. */}
      <Fragment key={steps ? 'beginning' : 'running'}>
        {steps ? <NextStepsCard steps={steps} /> : <TodayFigures filter={filter} now={now} />}
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
      </Fragment>
      <ComingUp
        filter={{
          scheduled_after: end,
          scheduled_before: dayBounds(addDays(today, COMING_DAYS), zone).end,
          sort_by: 'from_date',
        }}
      />
      {booking && <BookDialog open onOpenChange={setBooking} />}
    </>
  );
}
