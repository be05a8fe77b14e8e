'use client';
import { CalendarX, RefreshCw, UserX, Video } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import type { CalendarAppointment } from '#contract/calendar.ts';
import { Button } from '#web/ui/button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { DialogBody } from '#web/ui/dialog.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { AppointmentDialog, type AppointmentDialogKind } from '../appointments/appointment-dialog.tsx';
import { allowedActions } from '../appointments/appointment-phase.ts';
import { ISSUE_LABELS } from '../appointments/issue-labels.ts';
import { joinLink } from '../appointments/join-link.ts';
import { StaffNote } from '../appointments/staff-note.tsx';
import { usePhase } from '../appointments/use-phase.ts';

/** An appointment of the calendar with all its actions, each usable without a mouse. */
export function AppointmentSheet({ visit, onClose }: { visit: CalendarAppointment; onClose: () => void }) {
  const [dialog, setDialog] = useState<AppointmentDialogKind | null>(null);
  const acts = allowedActions(usePhase(visit));
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()} title={visit.patient_name}>
      <DialogBody className="grid content-start gap-4">
        <div className="grid justify-items-start gap-1.5 wrap-anywhere">
          <p className="font-medium">{visit.appointment_type}</p>
          <p className="text-muted">
            <DateTime value={visit.from_date} calendarZone={visit.time_zone} />, {visit.duration_minutes} min, with{' '}
            {visit.calendar}
          </p>
          <StatusBadge kind="appointment" status={visit.status} />
          {visit.scheduling_issue && <p className="text-warn-ink">{ISSUE_LABELS[visit.scheduling_issue]}</p>}
        </div>
        <div className="flex flex-wrap gap-2">
          {acts.includes('move') && (
            <Button onClick={() => setDialog('move')}>
              <RefreshCw aria-hidden />
              Move
            </Button>
          )}
          {acts.includes('join') && (
            <Button asChild>
              <a href={joinLink(visit)} target="_blank" rel="noopener noreferrer">
                <Video aria-hidden />
                Join by video
              </a>
            </Button>
          )}
          {acts.includes('no_show') && (
            <Button onClick={() => setDialog('no_show')}>
              <UserX aria-hidden />
              Did not come
            </Button>
          )}
          {acts.includes('cancel') && (
            <Button onClick={() => setDialog('cancel')}>
              <CalendarX aria-hidden />
              Cancel visit
            </Button>
          )}
        </div>
        <StaffNote visitId={visit.id} />
        <p className="flex flex-wrap gap-x-4 gap-y-1">
          <Link href={`/appointments/${visit.id}`} className="py-0.5 text-accent-ink hover:underline">
            Open the visit
          </Link>
          <Link href={`/patients/${visit.patient_id}`} className="py-0.5 text-accent-ink hover:underline">
            Open the patient
          </Link>
        </p>
      </DialogBody>
      {dialog && (
        <AppointmentDialog
          of={dialog}
          appointment={visit}
          onClose={() => {
            setDialog(null);
            onClose();
          }}
        />
      )}
    </Sheet>
  );
}
