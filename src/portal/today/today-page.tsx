'use client';
import { Plus } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Button } from '#portal/ui/button.tsx';
import { formatInstant, localDate } from '#portal/ui/format-time.ts';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { TODAY_COLUMNS } from '../appointments/appointment-columns.tsx';
import { dayBounds } from '../appointments/day-bounds.ts';
import { VisitsTable } from '../appointments/visits-table.tsx';
import { useMe } from '../me.tsx';
import { TodayFigures } from './today-figures.tsx';

const BookDialog = dynamic(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog), {
  ssr: false,
});

export function TodayPage() {
  const zone = useMe().tenant.time_zone;
  const [now] = useState(() => new Date());
  const [booking, setBooking] = useState(false);
  const { start, end } = dayBounds(localDate(now, zone), zone);
  const filter = { scheduled_after: start, scheduled_before: end };
  return (
    <>
      <PageHeader
        title="Today"
        description={formatInstant(now.toISOString(), 'day', zone)}
        actions={
          <Button variant="primary" onClick={() => setBooking(true)}>
            <Plus aria-hidden />
            Book visit
          </Button>
        }
      />
      <TodayFigures filter={filter} now={now} />
      <VisitsTable
        order="soonest"
        label="Visits today"
        columns={TODAY_COLUMNS}
        filter={filter}
        empty={{ title: 'No visits today', description: 'Visits that are booked for today show here in order.' }}
      />
      {booking && <BookDialog open onOpenChange={setBooking} />}
    </>
  );
}
