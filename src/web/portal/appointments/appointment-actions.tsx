'use client';
import { CalendarX, History, ListPlus, RefreshCw, Video } from 'lucide-react';
import { useState } from 'react';
import { formatInstant } from '#web/ui/format-time.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useMe } from '../me.tsx';
import { useNow } from '../now.tsx';
import { type ActionEntry, RowMenu } from '../shell/action-menu.tsx';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';
import { followUp } from '../tasks/task-values.ts';
import { type AppointmentSummary, allowedActions, joinLabel, joinLink } from './appointment.ts';
import { AppointmentDialog, type AppointmentDialogKind } from './appointment-dialog.tsx';
import { useMarks } from './use-mark-appointment.ts';

const TimelineSheet = lazyComponent(() =>
  import('../timeline/timeline-sheet.tsx').then((module) => module.TimelineSheet),
);

type Props = {
  appointment: AppointmentSummary;
  /** The patient's name; missing on the patient's own page. */
  patient?: string | undefined;
  /** How a list of one day names the row, or of several. */
  shape?: 'time' | 'datetime';
};

/** Menu with the actions that an appointment's phase and the reader's role allow, and its timeline. */
export function AppointmentActions({ appointment, patient, shape = 'datetime' }: Props) {
  const at = formatInstant(appointment.from_date, shape, useReaderZone());
  const [open, setOpen] = useState<AppointmentDialogKind | 'timeline' | 'task' | null>(null);
  const close = () => setOpen(null);
  const actions = allowedActions(appointment, useNow(), useMe().permissions);
  const { marks, undo } = useMarks(appointment);
  const join: ActionEntry = { kind: 'link', label: joinLabel(appointment), icon: Video, href: joinLink(appointment) };
  const move: ActionEntry = {
    ...{ kind: 'action', label: 'Move appointment', icon: RefreshCw, onSelect: () => setOpen('move') },
  };
  const cancel: ActionEntry = {
    kind: 'action',
    label: 'Cancel appointment',
    icon: CalendarX,
    danger: true,
    onSelect: () => setOpen('cancel'),
  };
  const timeline: ActionEntry = {
    ...{ kind: 'action', needs: 'charts:read' },
    ...{ label: 'What happened', icon: History, onSelect: () => setOpen('timeline') },
  };
  const task: ActionEntry = {
    ...{ kind: 'action', needs: 'tasks:write' },
    ...{ label: 'Follow up', icon: ListPlus, onSelect: () => setOpen('task') },
  };
  return (
    <span className="relative inline-flex items-center gap-1">
      <RowMenu
        of={`${patient ?? appointment.appointment_type}, ${at}`}
        entries={[
          ...(actions.includes('join') ? [join] : []),
          ...marks,
          ...undo,
          ...(actions.includes('move') ? [move] : []),
          task,
          timeline,
          ...(actions.includes('cancel') ? [cancel] : []),
        ]}
      />
      {open === 'timeline' ? (
        <TimelineSheet
          filter={{ patient_id: appointment.patient_id, object_id: appointment.id, of: 'visits' }}
          title={`What happened: ${appointment.appointment_type}`}
          onClose={close}
        />
      ) : open === 'task' ? (
        <NewTaskDialog start={followUp(appointment)} onClose={close} />
      ) : (
        open && <AppointmentDialog kind={open} appointment={appointment} onClose={close} />
      )}
    </span>
  );
}
