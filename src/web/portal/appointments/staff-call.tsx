'use client';
import { useMutation } from '@tanstack/react-query';
import { DoorOpen, Video } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { EARLY_MINUTES } from '#contract/limits.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import type { RoomState } from '#contract/visit-call.ts';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { formatInstant } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { toast } from '#web/ui/toast.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import type { Call } from '../../ui/visit-call/call.ts';
import { CallStage } from '../../ui/visit-call/call-stage.tsx';
import { DevicesCard } from '../../ui/visit-call/devices-card.tsx';
import { canCall, type Media } from '../../ui/visit-call/media.ts';
import { useIsCutOff } from '../../ui/visit-call/use-is-cut-off.ts';
import { useSeat } from '../../ui/visit-call/use-seat.ts';
import { useStore } from '../../ui/visit-call/use-store.ts';
import { useWakeLock } from '../../ui/visit-call/use-wake-lock.ts';
import { useNow } from '../now.tsx';
import { mayBegin } from './appointment.ts';

type StaffCallProps = {
  appointment: Pick<AppointmentView, 'id' | 'status' | 'from_date'>;
  /** The patient's name as staff see it. */
  patient: string;
  /** Path of the appointment's page. */
  href: string;
};

/** The practitioner's side of a video visit: devices, waiting patient, call and end. */
export function StaffCall({ appointment, patient, href }: StaffCallProps) {
  const client = useTRPCClient();
  const { id, status, from_date } = appointment;
  const seat = useSeat(id, () => client.visits.enterAsStaff.mutate({ id }));
  const { media, call, error } = seat;
  const code = error ? readApiErrors(error)[0].code : null;
  const isEarly = !mayBegin(from_date, useNow()) || code === 'too_early';
  const opens = formatInstant(
    new Date(Date.parse(from_date) - EARLY_MINUTES * 60_000).toISOString(),
    'datetime',
    useReaderZone(),
  );
  if (!media) return null;
  if (!canCall())
    return (
      <RoomMessage title="This browser cannot make video calls">
        Open this page in a newer Chrome, Edge, Firefox or Safari.
      </RoomMessage>
    );
  if (call) return <Seated {...{ call, media, appointment, patient, href, enter: seat.enter, leave: seat.leave }} />;
  if (status === 'canceled' || code === 'already_canceled') return <Ended state="canceled" href={href} />;
  if (code === 'too_late') return <Ended state="closed" href={href} />;
  return (
    <Ready
      media={media}
      message={
        isEarly ? (
          <RoomMessage key={code} title="This visit cannot be joined yet" isNew={code !== null}>
            The room opens {opens}, {EARLY_MINUTES} minutes before the visit begins. Until then you can try out your
            camera.
          </RoomMessage>
        ) : (
          <RoomMessage title="Join when you are ready">
            You then see whether {patient} is waiting. No one sees or hears you before you let them in.
          </RoomMessage>
        )
      }
      error={code === 'too_early' ? null : error}
      action={
        <Button variant="primary" size="lg" pending={seat.isEntering} onClick={() => void seat.enter()}>
          <Video aria-hidden />
          Join the visit
        </Button>
      }
    />
  );
}

type RoomMessageProps = {
  title: string;
  /** Takes focus for screen reader users, because it replaces the pressed button or the call. */
  isNew?: boolean;
  children: ReactNode;
};

function RoomMessage({ title, isNew = false, children }: RoomMessageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);
  return (
    <div role="status">
      <h2 ref={heading} tabIndex={-1} className="text-base font-semibold wrap-anywhere outline-none">
        {title}
      </h2>
      <p className="mt-1 text-balance text-muted wrap-anywhere">{children}</p>
    </div>
  );
}

type ReadyProps = { media: Media; message: ReactNode; error: unknown; action: ReactNode };

/** Content at the left, devices at the right. */
function Ready({ media, message, error, action }: ReadyProps) {
  return (
    <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
      <Card className="grid grid-cols-1 justify-items-start gap-4 p-5">
        {message}
        {Boolean(error) && <FormError>{firstErrorMessage(error)}</FormError>}
        {action}
      </Card>
      <DevicesCard media={media} description="Only you see this. Nothing is recorded." />
    </div>
  );
}

/** Messages for a room that this seat has left. */
const END_MESSAGES: Record<Exclude<RoomState, 'waiting' | 'open'>, [title: string, text: string]> = {
  over: ['The visit is over', 'Both sides have left. If something is still to be said, join again.'],
  closed: [
    'The room is closed',
    'A visit can be joined from 15 minutes before it begins to an hour after its end. This one was moved, its time has passed, or it is noted that the patient did not come.',
  ],
  canceled: ['This appointment was canceled', 'It can no longer be joined.'],
  taken: ['The visit goes on elsewhere', 'You, or someone from your clinic, joined it on another page or device.'],
};

type SeatedProps = StaffCallProps & { call: Call; media: Media; enter: () => Promise<void>; leave: () => void };

/** The view after the end of a visit; `onJoin` joins it again. */
function Ended({ state, href, onJoin }: { state: keyof typeof END_MESSAGES; href: string; onJoin?: () => void }) {
  const [title, text] = END_MESSAGES[state];
  return (
    <Card className="grid grid-cols-1 justify-items-start gap-4 p-5">
      <RoomMessage title={title} isNew>
        {text}
      </RoomMessage>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" asChild>
          <Link href={href}>To the appointment</Link>
        </Button>
        {onJoin && <Button onClick={onJoin}>Join again</Button>}
      </div>
    </Card>
  );
}

function Seated({ call, media, appointment, patient, href, enter, leave }: SeatedProps) {
  const { id } = appointment;
  const trpc = useTRPC();
  const { room } = useStore(call);
  const isCutOff = useIsCutOff(call);
  const admit = useMutation(trpc.visits.admit.mutationOptions());
  const end = useMutation(
    trpc.visits.endCall.mutationOptions({ onError: (error) => toast.error(firstErrorMessage(error)) }),
  );
  const state = room?.state ?? 'waiting';
  const isOver = state !== 'waiting' && state !== 'open';
  useWakeLock(!isOver);
  useEffect(() => {
    if (isOver) media.close();
  }, [isOver, media]);
  const [hasMetPatient, setMetPatient] = useState(false);
  useEffect(() => {
    if (state === 'open') setMetPatient(true);
  }, [state]);
  if (state === 'open')
    return (
      <CallStage
        call={call}
        media={media}
        other={patient}
        leaveOptions={[
          { label: 'End the visit for both', onSelect: () => end.mutate({ id }) },
          { label: 'Leave, and come back later', onSelect: leave },
        ]}
      />
    );
  if (state !== 'waiting') {
    const canRejoin = state !== 'canceled' && state !== 'closed';
    return <Ended state={state} href={href} {...(canRejoin && { onJoin: () => void enter() })} />;
  }
  const isPatientHere = room?.other === 'here';
  const [title, text] = isCutOff
    ? ['Your connection is lost', `This page does not know whether ${patient} is here. It connects again by itself.`]
    : room?.other === 'here'
      ? [`${patient} is waiting`, 'They see and hear you once you let them in.']
      : room?.other === 'away'
        ? [`${patient} was here and has lost the connection`, 'They come back by themselves, or open their link again.']
        : hasMetPatient
          ? [
              `${patient} is not here any more`,
              'They can come back by their link, and you let them in again. If nothing is left to say, leave as well.',
            ]
          : [
              `${patient} is not here yet`,
              'They come by the link in their confirmation. Stay on this page: it tells you.',
            ];
  return (
    <Ready
      media={media}
      message={
        <RoomMessage title={title} isNew>
          {text}
        </RoomMessage>
      }
      error={admit.error}
      action={
        <div className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            size="lg"
            disabled={!isPatientHere || isCutOff}
            pending={admit.isPending}
            onClick={() => admit.mutate({ id })}
          >
            <DoorOpen aria-hidden />
            Let them in
          </Button>
          <Button size="lg" onClick={leave}>
            Leave
          </Button>
        </div>
      }
    />
  );
}
