'use client';
import { Check, type LucideIcon, Undo2, UserCheck, UserX } from 'lucide-react';
import { useRef } from 'react';
import type { AppointmentMark } from '#contract/scheduling.ts';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { useNow } from '../now.tsx';
import { type AppointmentSummary, allowedActions, MARK_LABELS, undoableMark } from './appointment.ts';
import { useRefreshAppointments } from './use-refresh-appointments.ts';

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
  const entry = (label: string, icon: LucideIcon, onSelect: () => void): MarkEntry => ({
    ...{ kind: 'action', label, icon, onSelect },
  });
  return {
    marks: MARKS.filter((what) => allowed.includes(what)).map((what) =>
      entry(MARK_LABELS[what].mark, ICONS[what], () => void mark(what)),
    ),
    undo: undoable ? [entry(MARK_LABELS[undoable].unmark, Undo2, () => void unmark(undoable))] : [],
  };
}

/**
 * Marks an appointment and offers to undo that. A repeated click while a request runs does nothing. Both resolve to
 * whether it is done.
 */
export function useMarkAppointment(id: string) {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const isBusy = useRef(false);
  // The code loads with the first click, so that a page with many menus starts without it.
  const run = async (act: 'markAppointment' | 'unmarkAppointment', mark: AppointmentMark): Promise<boolean> => {
    if (isBusy.current) return false;
    isBusy.current = true;
    try {
      return await (await import('./mark-appointment.ts'))[act]({ id, client, refresh }, mark);
    } catch {
      toast.error('This could not be noted', { description: 'Check your connection and try again.' });
      return false;
    } finally {
      isBusy.current = false;
    }
  };
  return {
    mark: (mark: AppointmentMark) => run('markAppointment', mark),
    unmark: (mark: AppointmentMark) => run('unmarkAppointment', mark),
  };
}
