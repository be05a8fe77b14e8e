'use client';
import { CalendarX, RefreshCw, Video } from 'lucide-react';
import { useState } from 'react';
import type { CalendarAppointment } from '#contract/calendar.ts';
import { Button } from '#web/ui/button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { DialogBody } from '#web/ui/dialog.tsx';
import { Link } from '#web/ui/link.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { allowedActions, ISSUE_LABELS, joinLabel, joinLink, shownStatus } from '../appointments/appointment.ts';
import { AppointmentDialog, type AppointmentDialogKind } from '../appointments/appointment-dialog.tsx';
import { AppointmentFlags } from '../appointments/appointment-flags.tsx';
import { MarkButtons } from '../appointments/mark-buttons.tsx';
import { useAppointmentFlags } from '../appointments/use-appointment-flags.ts';
import { useMarks } from '../appointments/use-mark-appointment.ts';
import { useMe } from '../me.tsx';
import { NotesSection } from '../notes/notes-section.tsx';
import { useNow } from '../now.tsx';
import { BirthDate } from '../patients/patient-labels.tsx';

/** An appointment of the calendar with all actions that the role allows, each usable without a mouse. */
export function AppointmentSheet({ appointment, onClose }: { appointment: CalendarAppointment; onClose: () => void }) {
  const [dialog, setDialog] = useState<AppointmentDialogKind | null>(null);
  const actions = allowedActions(appointment, useNow(), useMe().permissions);
  const { marks, undo } = useMarks(appointment);
  const flagsOf = useAppointmentFlags([appointment.id]);
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()} title={appointment.patient_name}>
      <DialogBody className="grid content-start gap-4">
        <div className="grid justify-items-start gap-1.5 wrap-anywhere">
          <BirthDate date={appointment.patient_birth_date} />
          <p className="font-medium">{appointment.appointment_type}</p>
          <p className="text-muted">
            <DateTime value={appointment.from_date} calendarZone={appointment.time_zone} />,{' '}
            {appointment.duration_minutes} min, with {appointment.calendar}
          </p>
          <span className="flex flex-wrap gap-1.5">
            <StatusBadge kind="appointment" status={shownStatus(appointment)} />
            <AppointmentFlags appointment={appointment} flags={flagsOf?.(appointment.id)} />
          </span>
          {appointment.scheduling_issue && (
            <p className="text-warn-ink">{ISSUE_LABELS[appointment.scheduling_issue]}</p>
          )}
        </div>
        <div className="flex flex-wrap gap-2 empty:hidden">
          {actions.includes('move') && (
            <Button onClick={() => setDialog('move')}>
              <RefreshCw aria-hidden />
              Move
            </Button>
          )}
          {actions.includes('join') && (
            <Button asChild>
              <a href={joinLink(appointment)} target="_blank" rel="noopener noreferrer">
                <Video aria-hidden />
                {joinLabel(appointment)}
              </a>
            </Button>
          )}
          <MarkButtons entries={[...marks, ...undo]} />
          {actions.includes('cancel') && (
            <Button onClick={() => setDialog('cancel')}>
              <CalendarX aria-hidden />
              Cancel appointment
            </Button>
          )}
        </div>
        <NotesSection patientId={appointment.patient_id} appointmentId={appointment.id} />
        <p className="flex flex-wrap gap-x-4 gap-y-1">
          <Link href={`/appointments/${appointment.id}`} className="py-0.5 text-accent-ink hover:underline">
            Open the appointment
          </Link>
          <Link href={`/patients/${appointment.patient_id}`} className="py-0.5 text-accent-ink hover:underline">
            Open the patient
          </Link>
        </p>
      </DialogBody>
      {dialog && (
        <AppointmentDialog
          kind={dialog}
          appointment={appointment}
          onClose={() => {
            setDialog(null);
            onClose();
          }}
        />
      )}
    </Sheet>
  );
}
