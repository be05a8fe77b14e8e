'use client';
import { CalendarX, MoreHorizontal, RefreshCw, Video } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { AppointmentView } from '#contract/scheduling.ts';
import { Button } from '#portal/ui/button.tsx';
import { DropdownMenu } from '#portal/ui/dropdown-menu.tsx';

const RescheduleDialog = dynamic(() => import('./reschedule-dialog.tsx').then((module) => module.RescheduleDialog), {
  ssr: false,
});

const CancelAppointment = dynamic(() => import('./cancel-appointment.tsx').then((module) => module.CancelAppointment), {
  ssr: false,
});

/** What staff can do with a booked visit. A canceled one offers nothing. */
export function AppointmentActions({ appointment }: { appointment: AppointmentView }) {
  const [open, setOpen] = useState<'reschedule' | 'cancel' | null>(null);
  if (appointment.status !== 'scheduled') return null;
  const close = () => setOpen(null);
  return (
    <span className="relative inline-flex items-center gap-1">
      <DropdownMenu
        label="Visit actions"
        trigger={
          <Button variant="ghost" size="sm" aria-label="Visit actions" className="max-md:h-9">
            <MoreHorizontal aria-hidden />
          </Button>
        }
        entries={[
          { kind: 'link', label: 'Join by video', icon: Video, href: appointment.video_call_url },
          { kind: 'action', label: 'Move to another time', icon: RefreshCw, onSelect: () => setOpen('reschedule') },
          { kind: 'action', label: 'Cancel visit', icon: CalendarX, danger: true, onSelect: () => setOpen('cancel') },
        ]}
      />
      {open === 'reschedule' && <RescheduleDialog appointment={appointment} onClose={close} />}
      {open === 'cancel' && <CancelAppointment appointment={appointment} onClose={close} />}
    </span>
  );
}
