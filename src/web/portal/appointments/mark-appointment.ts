import { UNDO_MARK_MINUTES } from '#contract/limits.ts';
import type { AppointmentMark } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { toast } from '#web/ui/toast.ts';
import type { useTRPCClient } from '../../trpc-client.tsx';

const DONE: Record<AppointmentMark, string> = {
  checked_in: 'Checked in',
  completed: 'Noted that the appointment took place',
  no_show: 'Noted that the patient did not come',
};

type Marking = {
  id: string;
  client: ReturnType<typeof useTRPCClient>;
  refresh: () => Promise<unknown>;
};

/** Marks an appointment and offers to undo that. @returns whether it is marked */
export async function markAppointment(on: Marking, mark: AppointmentMark): Promise<boolean> {
  const { id, client, refresh } = on;
  const { checkIn, complete, markNoShow } = client.appointments;
  let isMarked = false;
  try {
    await { checked_in: checkIn, completed: complete, no_show: markNoShow }[mark].mutate({ id });
    isMarked = true;
    toast.success(DONE[mark], {
      ...(mark === 'no_show' && {
        description: `${SCHEDULING_PROVIDER.name} gets it in ${UNDO_MARK_MINUTES} minutes. Until then you can undo it.`,
      }),
      action: { label: 'Undo', run: () => void unmarkAppointment(on, mark) },
    });
  } catch (error) {
    toast.error('This could not be noted', { description: firstErrorMessage(error) });
  }
  await refresh();
  return isMarked;
}

export async function unmarkAppointment({ id, client, refresh }: Marking, mark: AppointmentMark): Promise<boolean> {
  let isUndone = false;
  try {
    await client.appointments.unmark.mutate({ id, mark });
    isUndone = true;
    toast.success('Undone');
  } catch (error) {
    toast.error('This could not be undone', { description: firstErrorMessage(error) });
  }
  await refresh();
  return isUndone;
}
