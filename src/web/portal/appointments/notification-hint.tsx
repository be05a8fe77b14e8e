'use client';
import { useQuery } from '@tanstack/react-query';
import { Mail, MailX } from 'lucide-react';
import { useTRPC } from '../../trpc-client.tsx';

const DONE = { book: 'booked', move: 'moved', cancel: 'canceled' } as const;

type NotificationHintProps = { patientId: string; action: keyof typeof DONE };

/** Says whether the patient gets an email or staff must notify them. */
export function NotificationHint({ patientId, action }: NotificationHintProps) {
  const trpc = useTRPC();
  const patient = useQuery(trpc.patients.get.queryOptions({ id: patientId }));
  const email = patient.data?.email;
  const Icon = email ? Mail : MailX;
  return (
    <p className="mt-3 flex min-h-10 items-start gap-2 text-[13px] text-muted wrap-anywhere">
      {patient.data && (
        <>
          <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
          {email
            ? `The patient (${email}) gets an email that the appointment is ${DONE[action]}, unless such messages are turned off here.`
            : `There is no email address on record, so the patient gets no message that the appointment is ${DONE[action]}: please tell them yourself.`}
        </>
      )}
    </p>
  );
}
