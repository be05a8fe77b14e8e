'use client';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import type { AppointmentSummary } from './appointment.ts';

const RescheduleDialog = lazyComponent(() =>
  import('./reschedule-dialog.tsx').then((module) => module.RescheduleDialog),
);
const CancelAppointment = lazyComponent(() =>
  import('./end-appointment.tsx').then((module) => module.CancelAppointment),
);
const NewLinkDialog = lazyComponent(() => import('./new-link-dialog.tsx').then((module) => module.NewLinkDialog));

export type AppointmentDialogKind = 'move' | 'cancel' | 'new_link';

/** Dialog of an action on an appointment; loaded on demand. */
export function AppointmentDialog({
  kind,
  ...rest
}: {
  kind: AppointmentDialogKind;
  appointment: AppointmentSummary;
  onClose: () => void;
}) {
  if (kind === 'move') return <RescheduleDialog {...rest} />;
  if (kind === 'new_link') return <NewLinkDialog {...rest} />;
  return <CancelAppointment {...rest} />;
}
