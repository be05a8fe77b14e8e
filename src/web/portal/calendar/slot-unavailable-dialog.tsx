'use client';
import type { AppointmentTypeView, CalendarView } from '#contract/scheduling.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '#web/ui/dialog.tsx';
import { appointmentTime, formatInstant, localDate } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useUnavailableReason } from '../appointments/use-unavailable-reason.ts';
import { type AvailableSlot, nearestSlots } from './available-slots.ts';
import type { GridPosition } from './calendar-grid.tsx';

type SlotUnavailableDialogProps = {
  position: GridPosition;
  calendar: CalendarView;
  type: AppointmentTypeView;
  times: AvailableSlot[];
  onBook: (time: AvailableSlot) => void;
  onClose: () => void;
};

const MAX_NEAREST = 4;

/** Explains why a pressed time is not offered, and lists available slots of that day. */
export function SlotUnavailableDialog({
  position,
  calendar,
  type,
  times,
  onBook,
  onClose,
}: SlotUnavailableDialogProps) {
  const zone = useReaderZone();
  const instant = new Date(position.at).toISOString();
  const reasons = useUnavailableReason({ appointment_type_id: type.id, calendar_id: calendar.id, from_date: instant });
  const sameDay = times.filter(({ fromDate }) => localDate(fromDate, zone) === localDate(instant, zone));
  const nearest = nearestSlots(sameDay, calendar.id, position.at, MAX_NEAREST);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="This time cannot be booked"
      description={`${appointmentTime(instant, zone, calendar.time_zone)}, ${type.name} with ${calendar.name}`}
      size="sm"
    >
      <DialogBody className="grid gap-3">
        <p aria-live="polite">
          {reasons.data?.[0]?.sentence ?? (reasons.error ? firstErrorMessage(reasons.error) : 'We are asking why…')}
        </p>
        {nearest.length > 0 && (
          <p className="flex flex-wrap items-center gap-2 text-muted">
            Free that day:
            {nearest.map((time) => (
              <Button key={time.fromDate} size="sm" onClick={() => onBook(time)}>
                {formatInstant(time.fromDate, 'time', zone)}
              </Button>
            ))}
          </p>
        )}
      </DialogBody>
      <DialogFooter>
        <DialogCancel asChild>
          <Button>Close</Button>
        </DialogCancel>
      </DialogFooter>
    </Dialog>
  );
}
