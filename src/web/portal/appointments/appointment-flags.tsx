import type { AppointmentFlagsView } from '#contract/appointment-flags.ts';
import { Badge } from '#web/ui/badge.tsx';

type AppointmentFlagsProps = {
  appointment: { status: string };
  flags: AppointmentFlagsView | undefined;
};

/** What staff should know of the patient of a booked appointment; nothing for a canceled one or a no-show. */
export function AppointmentFlags({ appointment, flags }: AppointmentFlagsProps) {
  if (appointment.status !== 'scheduled') return null;
  return (
    <>
      {flags?.is_first && <Badge tone="accent">First appointment</Badge>}
      {flags?.is_unpaid && <Badge tone="danger">Unpaid</Badge>}
    </>
  );
}
