import type { AppointmentTypeView, CalendarView } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { formatInstant } from '#web/ui/format-time.ts';
import { useNow } from '../now.tsx';
import { timeZoneMessage } from './calendars.ts';
import { toneOf } from './grid-events.ts';
import type { View } from './shown-days.ts';

type CalendarNotesProps = {
  view: View;
  zone: string;
  calendars: CalendarView[];
  /** Calendars among them that the provider does not offer. */
  former: CalendarView[];
  types: AppointmentTypeView[];
  type: AppointmentTypeView | undefined;
  mayBook: boolean;
  free: { missing: string | null; asOf: string | null; error: unknown };
  offError: unknown;
};

/** Legend of the colors and the time zone, and notes on incomplete data. */
export function CalendarNotes({
  view,
  zone,
  calendars,
  former,
  types,
  type,
  mayBook,
  free,
  offError,
}: CalendarNotesProps) {
  const now = useNow();
  const lines = [
    timeZoneMessage(calendars, zone, new Date(now).toISOString()),
    view !== 'month' &&
      view !== 'list' &&
      type &&
      `Bright is what ${mayBook ? `can be booked for ${type.name}: press it to book` : `is free for ${type.name}`}. ${SCHEDULING_PROVIDER.name} does not report working hours, so all times that it does not offer for this type are shaded. Striped is time off.`,
    former.length > 0 &&
      `${SCHEDULING_PROVIDER.name} does not offer ${former.map(({ name }) => name).join(', ')} any more: appointments there cannot be moved.`,
    free.error ? `Free times are not shown. ${firstErrorMessage(free.error)}` : free.missing,
    offError && `Time off is not shown. ${firstErrorMessage(offError)}`,
  ].filter((line): line is string => Boolean(line));
  return (
    <div className="mt-3 grid gap-1 text-[13px] text-muted print:hidden">
      <ul aria-label="Colors of the appointment types" className="flex flex-wrap gap-x-4 gap-y-1">
        {types.map(({ id, name }) => (
          <li key={id} className="flex items-stretch gap-1.5">
            <span aria-hidden className={`visit-dot ${toneOf(id, types)}`} />
            {name}
          </li>
        ))}
      </ul>
      <div className="grid gap-1" role="status">
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
      {/* No live region: the text changes with each reload. */}
      {!free.error && free.asOf && <p>Free times as of {formatInstant(free.asOf, 'time', zone)}</p>}
    </div>
  );
}
