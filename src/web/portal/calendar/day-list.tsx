'use client';
import { CalendarClock } from 'lucide-react';
import type { CalendarAppointment, HeldSlot, TimeOff } from '#contract/calendar.ts';
import type { AppointmentTypeView, CalendarView } from '#contract/scheduling.ts';
import { Card } from '#web/ui/card.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { calendarZoneTime, formatInstant } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { ISSUE_LABELS, shownStatus } from '../appointments/appointment.ts';
import { AppointmentActions } from '../appointments/appointment-actions.tsx';
import { useMay } from '../me.tsx';
import { BirthDate } from '../patients/patient-labels.tsx';
import type { AvailableSlot } from './available-slots.ts';
import { toneOf } from './grid-events.ts';

type DayListProps = {
  calendars: CalendarView[];
  appointments: CalendarAppointment[];
  held: HeldSlot[];
  off: TimeOff[];
  /** Undefined until loaded. */
  times: AvailableSlot[] | undefined;
  /** Appointment type of the slots. */
  type: AppointmentTypeView | undefined;
  types: AppointmentTypeView[];
  zone: string;
  /** Absent for staff who may not book. */
  onBook?: ((time: AvailableSlot) => void) | undefined;
};

/** Text view of a day with the content of the grid: appointments and slots of each practitioner, and their actions. */
export function DayList({ calendars, ...day }: DayListProps) {
  if (calendars.length === 0)
    return <EmptyState icon={CalendarClock} title="No calendar is chosen" description="Choose a practitioner above." />;
  return (
    <div className="grid gap-4">
      {calendars.map((calendar) => (
        <OneCalendar key={calendar.id} calendar={calendar} {...day} />
      ))}
    </div>
  );
}

type OneCalendarProps = Omit<DayListProps, 'calendars'> & { calendar: CalendarView };

function OneCalendar({ calendar, appointments, held, off, times, type, types, zone, onBook }: OneCalendarProps) {
  const isOwn = ({ calendar_id }: { calendar_id: number }) => calendar_id === calendar.id;
  const free = times?.filter(({ calendarId }) => calendarId === calendar.id);
  const rows = [
    ...appointments.filter(isOwn).map((appointment) => ({ at: appointment.from_date, appointment })),
    ...held.filter(isOwn).map((booking) => ({ at: booking.from_date, booking })),
    ...off.filter(isOwn).map((timeOff) => ({ at: timeOff.from_date, timeOff })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return (
    <Card aria-label={calendar.name} className="overflow-hidden wrap-anywhere">
      <h2 className="border-b border-line bg-sunken/60 px-4 py-2 font-medium">{calendar.name}</h2>
      {rows.length === 0 ? (
        <p className="px-4 py-3 text-muted">No appointments.</p>
      ) : (
        <ul className="divide-y divide-line">
          {rows.map((row) =>
            'appointment' in row ? (
              <DayListItem
                key={row.appointment.id}
                appointment={row.appointment}
                tone={toneOf(row.appointment.appointment_type_id, types)}
                zone={zone}
              />
            ) : 'booking' in row ? (
              <li key={row.booking.id} className="px-4 py-2.5 text-muted">
                {timeRange(row.booking, zone)}: a booking to match, {row.booking.appointment_type}
              </li>
            ) : (
              <li key={`${row.at}-off-${row.timeOff.to_date}`} className="px-4 py-2.5 text-muted">
                {timeRange(row.timeOff, zone)}: time off
              </li>
            ),
          )}
        </ul>
      )}
      {type && calendar.appointment_type_ids.includes(type.id) && (
        <div className="border-t border-line px-4 py-3 print:hidden">
          <h3 className="mb-2 text-[13px] text-muted">
            Free for {type.name} ({type.duration_minutes} min)
          </h3>
          {!free ? (
            <p className="text-[13px] text-muted" role="status">
              Loading free times…
            </p>
          ) : free.length === 0 ? (
            <p className="text-[13px] text-muted">None this day.</p>
          ) : !onBook ? (
            <p className="tabular-nums">
              {free.map(({ fromDate }) => formatInstant(fromDate, 'time', zone)).join(', ')}
            </p>
          ) : (
            <div className="flex flex-wrap gap-1.5">
              {free.map((time) => (
                <button
                  key={time.fromDate}
                  type="button"
                  onClick={() => onBook(time)}
                  aria-label={`Book ${formatInstant(time.fromDate, 'time', zone)} with ${calendar.name}`}
                  className="min-h-9 rounded-md border border-line bg-raised px-2.5 font-medium tabular-nums hover:border-accent max-md:min-h-11"
                >
                  {formatInstant(time.fromDate, 'time', zone)}
                </button>
              ))}
            </div>
          )}
        </div>
      )}
    </Card>
  );
}

const timeRange = ({ from_date, to_date }: { from_date: string; to_date: string }, zone: string) =>
  `${formatInstant(from_date, 'time', zone)} – ${formatInstant(to_date, 'time', zone)}`;

function DayListItem({ appointment, tone, zone }: { appointment: CalendarAppointment; tone: string; zone: string }) {
  const mayReadNote = useMay('notes:read');
  const status = shownStatus(appointment);
  const calendarTime = calendarZoneTime(appointment.from_date, zone, appointment.time_zone);
  return (
    <li className="flex items-start gap-3 px-4 py-2.5">
      <span aria-hidden className={`visit-dot ${tone}`} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="tabular-nums">{timeRange(appointment, zone)}</span>
          {status !== 'scheduled' && <StatusBadge kind="appointment" status={status} />}
        </p>
        <Link href={`/appointments/${appointment.id}`} className="rounded-sm font-medium wrap-anywhere hover:underline">
          {appointment.patient_name}
        </Link>{' '}
        <BirthDate date={appointment.patient_birth_date} />
        <p className="text-[13px] text-muted">
          {appointment.appointment_type}, {appointment.duration_minutes} min
          {calendarTime && ` (${calendarTime})`}
          {appointment.has_note && mayReadNote && ', with a note'}
        </p>
        {appointment.scheduling_issue && (
          <p className="text-[13px] text-warn-ink">{ISSUE_LABELS[appointment.scheduling_issue]}</p>
        )}
      </div>
      <span className="print:hidden">
        <AppointmentActions appointment={appointment} patient={appointment.patient_name} shape="time" />
      </span>
    </li>
  );
}
