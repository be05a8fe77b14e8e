'use client';
import { CalendarX, History, MoreHorizontal, RefreshCw, Video } from 'lucide-react';
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

const StorySheet = dynamic(() => import('../story/story-sheet.tsx').then((module) => module.StorySheet), {
  ssr: false,
});

/** What staff can do with a booked visit, and of any what happened to it. */
export function AppointmentActions({ appointment }: { appointment: AppointmentView }) {
  const [open, setOpen] = useState<'reschedule' | 'cancel' | 'story' | null>(null);
  const isBooked = appointment.status === 'scheduled';
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
          ...(isBooked
            ? [
                { kind: 'link' as const, label: 'Join by video', icon: Video, href: appointment.video_call_url },
                {
                  kind: 'action' as const,
                  label: 'Move to another time',
                  icon: RefreshCw,
                  onSelect: () => setOpen('reschedule'),
                },
              ]
            : []),
          { kind: 'action', label: 'What happened', icon: History, onSelect: () => setOpen('story') },
          ...(isBooked
            ? [
                {
                  kind: 'action' as const,
                  label: 'Cancel visit',
                  icon: CalendarX,
                  danger: true,
                  onSelect: () => setOpen('cancel'),
                },
              ]
            : []),
        ]}
      />
      {open === 'reschedule' && <RescheduleDialog appointment={appointment} onClose={close} />}
      {open === 'story' && (
        <StorySheet
          patientId={appointment.patient_id}
          objectId={appointment.id}
          title={`What happened: ${appointment.appointment_type}`}
          onClose={close}
        />
      )}
      {open === 'cancel' && <CancelAppointment appointment={appointment} onClose={close} />}
    </span>
  );
}
