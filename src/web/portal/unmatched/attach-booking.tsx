'use client';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { AttachDialog } from '../patients/attach-dialog.tsx';
import { personOf, type UnmatchedRow } from './unmatched-row.ts';

type AttachBookingProps = { booking: UnmatchedRow; onClose: () => void };

/** Assigns a booking to a patient, whose appointment it becomes. The patient with the booking's email is proposed. */
export function AttachBooking({ booking, onClose }: AttachBookingProps) {
  const client = useTRPCClient();
  const { id, email, proposed } = booking;
  return (
    <AttachDialog
      title={`Attach the booking for ${personOf(booking)}`}
      description={`It becomes this patient’s visit, at the time that is booked in ${SCHEDULING_PROVIDER.name}, with a video link of its own.`}
      proposed={proposed?.name ? { value: proposed.id, label: proposed.name, hint: email ?? '' } : null}
      hint={proposed ? 'This patient has the email of the booking.' : undefined}
      attach={(patient_id) => client.appointments.attachUnmatched.mutate({ id, patient_id })}
      done={(name) => `It is ${name}’s visit now`}
      onClose={onClose}
    />
  );
}
