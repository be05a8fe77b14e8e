'use client';
import { Check, type LucideIcon, Undo2, UserCheck, UserX } from 'lucide-react';
import { useRef } from 'react';
import { UNDO_MARK_MINUTES } from '#contract/limits.ts';
import type { AppointmentMark } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { useNow } from '../now.tsx';
import { type AppointmentSummary, allowedActions, MARK_LABELS, undoableMark } from './appointment.ts';
import { useRefreshAppointments } from './use-refresh-appointments.ts';

const DONE: Record<AppointmentMark, string> = {
  checked_in: 'Checked in',
  completed: 'Noted that the appointment took place',
  no_show: 'Noted that the patient did not come',
};

const ICONS: Record<AppointmentMark, LucideIcon> = { checked_in: UserCheck, completed: Check, no_show: UserX };
const MARKS = Object.keys(ICONS) as AppointmentMark[];

/** An action as a button or a menu entry. */
export type MarkEntry = { kind: 'action'; label: string; icon: LucideIcon; onSelect: () => void };

/** The marks that an appointment and the reader's role allow now, and the latest one to undo. */
export function useMarks(appointment: AppointmentSummary): { marks: MarkEntry[]; undo: MarkEntry[] } {
  const now = useNow();
  const { permissions } = useMe();
  const { mark, unmark } = useMarkAppointment(appointment.id);
  const allowed = allowedActions(appointment, now, permissions);
  const undoable = undoableMark(appointment, now, permissions);
  const entry = (label: string, icon: LucideIcon, act: () => Promise<void>): MarkEntry => ({
    ...{ kind: 'action', label, icon, onSelect: () => void act() },
  });
  return {
    marks: MARKS.filter((what) => allowed.includes(what)).map((what) =>
      entry(MARK_LABELS[what].mark, ICONS[what], () => mark(what)),
    ),
    undo: undoable ? [entry(MARK_LABELS[undoable].unmark, Undo2, () => unmark(undoable))] : [],
  };
}

/** Marks an appointment and offers to undo that. A repeated click while a request runs does nothing. */
export function useMarkAppointment(id: string) {
  const { appointments } = useTRPCClient();
  const refresh = useRefreshAppointments();
  const isBusy = useRef(false);
  const run = async (act: () => Promise<unknown>, onDone: () => void, failed: string): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await act();
      onDone();
    } catch (error) {
      toast.error(failed, { description: firstErrorMessage(error) });
    } finally {
      isBusy.current = false;
    }
    await refresh();
  };
  const unmark = (mark: AppointmentMark) =>
    run(
      () => appointments.unmark.mutate({ id, mark }),
      () => toast.success('Undone'),
      'This could not be undone',
    );
  const mark = (what: AppointmentMark) =>
    run(
      () =>
        ({
          checked_in: () => appointments.checkIn.mutate({ id }),
          completed: () => appointments.complete.mutate({ id }),
          no_show: () => appointments.markNoShow.mutate({ id }),
        })[what](),
      () =>
        toast.success(DONE[what], {
          ...(what === 'no_show' && {
            description: `${SCHEDULING_PROVIDER.name} gets it in ${UNDO_MARK_MINUTES} minutes. Until then you can undo it.`,
          }),
          action: { label: 'Undo', run: () => void unmark(what) },
        }),
      'This could not be noted',
    );
  return { mark, unmark };
}
