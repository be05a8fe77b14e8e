'use client';
import { Video } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { CallSeatView, RoomState } from '#contract/visit-call.ts';
import type { VisitView } from '#contract/visits.ts';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { Input } from '#web/ui/input.tsx';
import { Link } from '#web/ui/link.tsx';
import { callLinkApi, storedPass } from '../../ui/links/link.ts';
import type { Call } from '../../ui/visit-call/call.ts';
import { CallStage } from '../../ui/visit-call/call-stage.tsx';
import { DevicePanel } from '../../ui/visit-call/device-panel.tsx';
import { DevicesCard } from '../../ui/visit-call/devices-card.tsx';
import { canCall, type Media } from '../../ui/visit-call/media.ts';
import { waitMessage } from '../../ui/visit-call/messages.ts';
import { useIsCutOff } from '../../ui/visit-call/use-is-cut-off.ts';
import { useSeat } from '../../ui/visit-call/use-seat.ts';
import { useStore } from '../../ui/visit-call/use-store.ts';
import { useWakeLock } from '../../ui/visit-call/use-wake-lock.ts';
import { PatientPage } from '../frame/patient-page.tsx';
import { VisitTimes } from './visit-times.tsx';

type PatientCallProps = {
  token: string;
  visit: VisitView;
  /** Reloads the appointment after an error that says that its state has changed. */
  onOutdated: () => void;
  /** Reloads the appointment while the patient is in a room that was rescheduled or closed. */
  onChanged: () => Promise<void>;
  /** A message about a change since the page was opened. */
  notice: string | null;
};

/** The patient's side of the video appointment while the room is open: devices, waiting room, call and outcome. */
export function PatientCall({ token, visit, onOutdated, onChanged, notice }: PatientCallProps) {
  const [birthDate, setBirthDate] = useState('');
  const [isMissing, setMissing] = useState(false);
  const asksBirthDate = visit.asks.includes('date_of_birth');
  const asksSignIn = visit.asks.includes('sign_in');
  const pass = asksSignIn ? storedPass('visit') : null;
  const seat = useSeat(token, (hold) =>
    callLinkApi<CallSeatView>('visits.enter', token, {
      hold,
      ...(birthDate && { date_of_birth: birthDate }),
      ...(pass && { pass }),
    }),
  );
  const { media, call, error } = seat;
  const [hasLeft, setLeft] = useState(false);
  const code = error ? readApiErrors(error)[0].code : null;
  const isOutdated = code === 'too_early' || code === 'too_late' || code === 'already_canceled' || code === 'not_found';
  useEffect(() => {
    if (isOutdated) onOutdated();
  }, [isOutdated, onOutdated]);

  const enter = async () => {
    setLeft(false);
    await seat.enter();
  };
  const leave = () => {
    seat.leave();
    setLeft(true);
  };
  if (!media) return null;
  if (!canCall())
    return <Frame visit={visit} title="This browser cannot make video calls" text={unsupportedBrowserText(visit)} />;
  if (call) return <Seated {...{ call, media, visit, leave, onChanged, notice }} />;
  if (asksSignIn && (!pass || code === 'verification_required')) return <SignInFirst visit={visit} />;
  return (
    <Frame
      visit={visit}
      isNew={hasLeft}
      title={hasLeft ? 'You have left the visit' : `Your visit with ${visit.practitioner}`}
      text={
        hasLeft
          ? 'You can come back for as long as the visit goes on.'
          : 'The waiting room is open. Go in whenever you are ready; your camera and microphone are turned on then. No one sees or hears you until you are let in.'
      }
    >
      <Notice>{notice}</Notice>
      <VisitTimes {...visit} />
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (asksBirthDate && !birthDate) setMissing(true);
          else void enter();
        }}
      >
        {asksBirthDate && (
          <Field
            label="Your date of birth"
            hint={`${visit.clinic} asks for it, so that no one else can use your link.`}
            error={
              isMissing
                ? 'Enter your date of birth.'
                : code === 'verification_required' && birthDate
                  ? firstErrorMessage(error)
                  : undefined
            }
            required
          >
            <Input
              type="date"
              autoComplete="bday"
              value={birthDate}
              onChange={(event) => {
                setMissing(false);
                setBirthDate(event.target.value);
              }}
            />
          </Field>
        )}
        {Boolean(error) && code !== 'verification_required' && <FormError>{firstErrorMessage(error)}</FormError>}
        {asksBirthDate && Boolean(error) && <CallClinic visit={visit} question="You are not let in?" />}
        <Button type="submit" variant="primary" size="lg" pending={seat.isEntering}>
          <Video aria-hidden />
          {hasLeft ? 'Come back' : 'Go to the waiting room'}
        </Button>
      </form>
      <DevicesCard media={media} description="Only you see this. Nothing is recorded or sent." />
      <p className="text-center text-[13px]">
        <Link href="/visit/privacy" className="inline-block py-0.5 text-accent-ink underline">
          Who sees and keeps what
        </Link>
      </p>
    </Frame>
  );
}

/** This clinic requires a signed-in patient: the link in its app carries a pass, which this link lacks. */
function SignInFirst({ visit }: { visit: VisitView }) {
  return (
    <Frame
      visit={visit}
      isNew
      title="Please sign in first"
      text={`${visit.clinic} lets patients into a visit once they have signed in, so that no one else can use your link. Open the app or website of ${visit.clinic}, sign in, and open the visit from there.`}
    >
      <VisitTimes {...visit} />
      <CallClinic visit={visit} question="You cannot sign in?" />
    </Frame>
  );
}

/** For a patient who does not pass the clinic's check; nothing if the clinic has no phone number. */
const CallClinic = ({ visit: { clinic, phone }, question }: { visit: VisitView; question: string }) =>
  phone && (
    <p className="text-muted wrap-anywhere">
      {question} Call {clinic} at {formatPhone(phone)}.
    </p>
  );

const unsupportedBrowserText = ({ clinic, phone }: VisitView): string =>
  `Open your link in a newer Chrome, Edge, Firefox or Safari${phone ? `, or call ${clinic} at ${formatPhone(phone)}` : `, or ask ${clinic} how else to talk`}.`;

const notLetInText = ({ clinic, phone }: VisitView): string =>
  `Not let in ten minutes after the time above? ${phone ? `Call ${clinic} at ${formatPhone(phone)}.` : `Please ask ${clinic}.`} Leave this page open while you do.`;

type FrameProps = {
  visit: VisitView;
  title: string;
  text: string;
  /** The frame replaces a button or the call, so its heading takes the focus for screen readers. */
  isNew?: boolean;
  children?: React.ReactNode;
};

function Frame({ visit, title, text, isNew = false, children }: FrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);
  return (
    <PatientPage clinic={visit.clinic} footnote="This link is yours alone: please do not pass it on.">
      <div className="grid gap-5">
        <div role="status">
          <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight outline-none">
            {title}
          </h1>
          <p className="mt-1 text-balance text-muted wrap-anywhere">{text}</p>
        </div>
        {children}
      </div>
    </PatientPage>
  );
}

type SeatedProps = { call: Call; media: Media; leave: () => void } & Pick<
  PatientCallProps,
  'visit' | 'onChanged' | 'notice'
>;

const Notice = ({ children }: { children: string | null }) => (
  <p role="status" className="rounded-md bg-info-soft px-3 py-2 text-info-ink empty:hidden">
    {children}
  </p>
);

/** The texts for a room that this seat has left. */
const END_TEXTS: Record<Exclude<RoomState, 'waiting' | 'open'>, (visit: VisitView) => [title: string, text: string]> = {
  over: ({ clinic }) => ['The visit is over', `Thank you. To talk again, ask ${clinic} for another time.`],
  closed: ({ clinic }) => [
    'The visit is closed here',
    `It was moved, its time has passed, or ${clinic} has closed it or given you a new link. Open the newest one, or ask ${clinic} for another time.`,
  ],
  canceled: ({ clinic }) => [
    'This appointment was canceled',
    `If you did not expect that, ask ${clinic} for another time.`,
  ],
  taken: () => [
    'The visit goes on elsewhere',
    'Your link was opened on another page or device, and the visit goes on there. You can close this page.',
  ],
};

function Seated({ call, media, visit, leave, onChanged, notice }: SeatedProps) {
  const { room } = useStore(call);
  const isCutOff = useIsCutOff(call);
  const state = room?.state ?? 'waiting';
  const isOver = state !== 'waiting' && state !== 'open';
  useWakeLock(!isOver);
  // The camera stops when the room is closed.
  useEffect(() => {
    if (isOver) media.close();
  }, [isOver, media]);
  // A rescheduled appointment closes at another time than this page has loaded.
  const isRescheduled = state === 'closed' || (room !== null && !isOver && room.closes_at !== visit.closes_at);
  useEffect(() => {
    if (isRescheduled) void onChanged();
  }, [isRescheduled, onChanged]);
  if (state === 'open')
    return (
      <CallStage
        call={call}
        media={media}
        other={visit.practitioner}
        leaveOptions={[{ label: 'Leave', onSelect: leave }]}
      />
    );
  if (state !== 'waiting') {
    const [title, text] = END_TEXTS[state](visit);
    return <Frame key={state} visit={visit} title={title} text={text} isNew />;
  }
  const wait = waitMessage(room?.before_you ?? null, room?.delay_minutes ?? null);
  return (
    <Frame
      visit={visit}
      isNew
      title={isCutOff ? 'Your connection is lost' : 'You are in the waiting room'}
      text={
        isCutOff
          ? `${visit.clinic} may not see that you are here. Please check your internet connection, and stay on this page: it goes back to the waiting room by itself.`
          : `${visit.clinic} can see that you are here. You are let in when your visit with ${visit.practitioner} begins. Please stay on this page. ${wait}`
      }
    >
      <Notice>{notice}</Notice>
      <VisitTimes {...visit} />
      <p className="text-muted wrap-anywhere">{notLetInText(visit)}</p>
      <Card>
        <CardHeader title="Camera and microphone" description="No one sees or hears you before you are let in." />
        <CardBody>
          <DevicePanel media={media} />
        </CardBody>
      </Card>
      <Button variant="link" className="justify-self-center" onClick={leave}>
        Leave the waiting room
      </Button>
    </Frame>
  );
}
