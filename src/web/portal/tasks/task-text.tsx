'use client';
import { useState } from 'react';
import type { NamedTask } from '#contract/tasks.ts';
import { Button } from '#web/ui/button.tsx';
import { cn } from '#web/ui/cn.ts';
import { Link } from '#web/ui/link.tsx';
import { ROLE_NAMES, useMay } from '../me.tsx';
import { BirthDate } from '../patients/patient-labels.tsx';
import { dueLabel, isOverdue } from './due.ts';
import { notePreview } from './note-preview.ts';
import { useToday } from './use-today.ts';

/** A task's details: the beginning of a long note, and the rest on demand. */
export function TaskNote({ note }: { note: string | null }) {
  const [isOpen, setOpen] = useState(false);
  if (note === null) return null;
  const preview = notePreview(note);
  return (
    <p className="text-[13px] text-muted wrap-anywhere">
      <span className={cn((isOpen || preview === null) && 'whitespace-pre-line')}>
        {isOpen || preview === null ? note : preview}
      </span>
      {preview !== null && (
        <>
          {' '}
          <Button
            variant="link"
            size="sm"
            className="print:hidden"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Less' : 'More'}
          </Button>
        </>
      )}
    </p>
  );
}

const LINK = 'inline-block rounded-sm py-0.5 text-accent-ink wrap-anywhere hover:underline';

/** Links to the patient and to what a task is about. */
export function TaskLinks({ task, hidesPatient = false }: { task: NamedTask; hidesPatient?: boolean }) {
  const subject = useSubjectLink(task);
  const patient = task.patient_id && !hidesPatient ? task.patient_id : null;
  if (!patient && !subject) return null;
  return (
    <span className="flex flex-wrap gap-x-2 text-[13px] empty:hidden">
      {patient && (
        <Link href={`/patients/${patient}`} className={LINK}>
          {task.patient_name ?? 'A patient without a name'}
        </Link>
      )}
      {patient && <BirthDate date={task.patient_birth_date} className="py-0.5" />}
      {subject && (
        <Link href={subject.href} className={LINK}>
          {subject.label}
        </Link>
      )}
    </span>
  );
}

/** A payment has no page of its own, and only some may open bookings to match. */
function useSubjectLink({ subject_type, subject_id }: NamedTask): { href: string; label: string } | null {
  const mayMatch = useMay('unmatched:write');
  if (subject_type === 'appointment') return { href: `/appointments/${subject_id}`, label: 'Appointment' };
  if (subject_type === 'subscription') return { href: `/subscriptions/${subject_id}`, label: 'Subscription' };
  return subject_type === 'unmatched_booking' && mayMatch
    ? { href: '/appointments/unmatched', label: 'Bookings to match' }
    : null;
}

/** The day until which a task is to be done; one in the past stands out and says so. */
export function DueDate({ task: { due_date } }: { task: NamedTask }) {
  const today = useToday();
  if (!due_date) return <span className="text-muted">No date</span>;
  const isLate = isOverdue(due_date, today);
  return (
    <span className={cn('tabular-nums', isLate && 'text-warn-ink')}>
      <time dateTime={due_date} className="whitespace-nowrap">
        {dueLabel(due_date, today)}
      </time>
      {isLate && (
        <>
          <span className="md:hidden">, overdue</span>
          <span className="block text-[13px] max-md:hidden">Overdue</span>
        </>
      )}
    </span>
  );
}

/** A name, a role, or anyone; a colleague who has left stands out, because the task waits for another. */
export function Assignee({ task }: { task: NamedTask }) {
  const mayChoose = useMay('tasks:write');
  const { assignee_id, assignee_name, assignee_role, assignee_left, status } = task;
  if (assignee_role) return ROLE_NAMES[assignee_role];
  if (!assignee_id) return 'Anyone';
  const name = assignee_name ?? 'A colleague';
  if (!assignee_left || status === 'completed') return name;
  return (
    <span className="grid">
      {name}
      <span className="text-[13px] text-warn-ink">{mayChoose ? 'Has left: choose another' : 'Has left'}</span>
    </span>
  );
}
