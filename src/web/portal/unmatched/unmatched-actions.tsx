'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { EyeOff, MoreHorizontal, Undo2, UserPlus, UserRoundCheck } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { DropdownMenu, type MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { personOf, type UnmatchedRow } from './unmatched-row.ts';

const AttachBooking = dynamic(() => import('./attach-booking.tsx').then((module) => module.AttachBooking), {
  ssr: false,
});

/** Actions on an unmatched booking: attach it to a patient, create a patient from it, or ignore it. */
export function UnmatchedActions({ booking }: { booking: UnmatchedRow }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [attaching, setAttaching] = useState(false);
  const change = (done: string) => ({
    onSuccess: () => void toast.success(done),
    onError: (error: unknown) => void toast.error(faultSentence(error)),
    onSettled: () => queries.invalidateQueries(),
  });
  const create = useMutation(trpc.appointments.createPatientOf.mutationOptions(change('They are a patient now')));
  const ignore = useMutation(trpc.appointments.ignoreUnmatched.mutationOptions(change('It is ignored')));
  const restore = useMutation(trpc.appointments.restoreUnmatched.mutationOptions(change('It is listed again')));
  const { id } = booking;
  const person = personOf(booking);
  const entries: MenuEntry[] = [
    { kind: 'action', label: 'Attach to a patient', icon: UserRoundCheck, onSelect: () => setAttaching(true) },
    ...(booking.proposed
      ? []
      : [
          {
            kind: 'action' as const,
            label: 'Make them a patient',
            icon: UserPlus,
            onSelect: () => create.mutate({ id }),
          },
        ]),
    booking.ignored_at
      ? { kind: 'action', label: 'List it again', icon: Undo2, onSelect: () => restore.mutate({ id }) }
      : { kind: 'action', label: 'Ignore it', icon: EyeOff, onSelect: () => ignore.mutate({ id }) },
  ];
  const isBusy = create.isPending || ignore.isPending || restore.isPending;
  return (
    <span className="relative inline-flex items-center gap-1">
      <DropdownMenu
        label={`What to do with the booking for ${person}`}
        trigger={
          <Button
            variant="ghost"
            size="sm"
            pending={isBusy}
            aria-label={`What to do with the booking for ${person}`}
            className="max-md:h-9"
          >
            <MoreHorizontal aria-hidden />
          </Button>
        }
        entries={entries}
      />
      {attaching && <AttachBooking booking={booking} onClose={() => setAttaching(false)} />}
    </span>
  );
}
