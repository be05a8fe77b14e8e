'use client';
import { CalendarX, MoreHorizontal, RefreshCw, Video } from 'lucide-react';
import { useState } from 'react';
import type { AppointmentView } from '#contract/scheduling.ts';
import { Button } from '#portal/ui/button.tsx';
import { DropdownMenu, MenuItem } from '#portal/ui/dropdown-menu.tsx';
import { CancelAppointment } from './cancel-appointment.tsx';
import { RescheduleDialog } from './reschedule-dialog.tsx';

/** What staff can do with a booked visit. A canceled one offers nothing. */
export function AppointmentActions({ appointment }: { appointment: AppointmentView }) {
  const [open, setOpen] = useState<'reschedule' | 'cancel' | null>(null);
  if (appointment.status !== 'scheduled') return null;
  const close = () => setOpen(null);
  return (
    <span className="relative inline-flex items-center gap-1">
      <DropdownMenu
        trigger={
          <Button variant="ghost" size="sm" aria-label="Visit actions" className="max-md:h-9">
            <MoreHorizontal aria-hidden />
          </Button>
        }
      >
        <MenuItem asChild>
          <a href={appointment.video_call_url} target="_blank" rel="noreferrer">
            <Video aria-hidden />
            Join by video
          </a>
        </MenuItem>
        <MenuItem icon={RefreshCw} onSelect={() => setOpen('reschedule')}>
          Move to another time
        </MenuItem>
        <MenuItem icon={CalendarX} danger onSelect={() => setOpen('cancel')}>
          Cancel visit
        </MenuItem>
      </DropdownMenu>
      {open === 'reschedule' && <RescheduleDialog appointment={appointment} onClose={close} />}
      {open === 'cancel' && <CancelAppointment appointment={appointment} onClose={close} />}
    </span>
  );
}
