'use client';
import dynamic from 'next/dynamic';
import type { AppointmentSummary } from './appointment.ts';

const RescheduleDialog = dynamic(() => import('./reschedule-dialog.tsx').then((module) => module.RescheduleDialog), {
  ssr: false,
});
const CancelAppointment = dynamic(() => import('./end-appointment.tsx').then((module) => module.CancelAppointment), {
  ssr: false,
});
const NewLinkDialog = dynamic(() => import('./new-link-dialog.tsx').then((module) => module.NewLinkDialog), {
  ssr: false,
});

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
