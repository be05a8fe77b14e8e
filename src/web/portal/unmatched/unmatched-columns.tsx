import type { Column } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { UnmatchedActions } from './unmatched-actions.tsx';
import { personOf, type UnmatchedRow } from './unmatched-row.ts';

export const UNMATCHED_COLUMNS: Column<UnmatchedRow>[] = [
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
        <span className="font-medium wrap-anywhere">{personOf(booking)}</span>
        <span className="text-[13px] text-muted wrap-anywhere">
          {[booking.email, booking.phone_number].filter(Boolean).join(', ') || 'No email or phone number'}
        </span>
      </span>
    ),
  },
  {
    header: 'Visit',
    words: true,
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
    words: true,
    cell: ({ proposed }) =>
      proposed ? (proposed.name ?? 'A patient') : <span className="text-muted">No patient</span>,
  },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (booking) => <UnmatchedActions booking={booking} />,
  },
];
