'use client';
import { LockKeyhole, MicOff, ShieldAlert, UserRound, VideoOff, Volume2 } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { cn } from '#web/ui/cn.ts';
import { Dialog, DialogBody } from '#web/ui/dialog.tsx';
import type { Call, CallState } from './call.ts';
import { CallChat } from './call-chat.tsx';
import { CallControls } from './call-controls.tsx';
import { DevicePanel } from './device-panel.tsx';
import type { Media } from './media.ts';
import { deviceMessage, QUALITY_LABELS, remoteDevicesMessage } from './messages.ts';
import { playOn } from './speaker.ts';
import { TrackVideo } from './track-video.tsx';
import { useStore } from './use-store.ts';
import type { CodeState } from './verification.ts';

type CallCodeProps = { code: CodeState; other: string; isOverdue: boolean };

/**
 * The verification code of the connection with its explanation. A missing code is reported too: an attacker in between
 * could suppress it.
 */
function CallCode({ code, other, isOverdue }: CallCodeProps) {
  const [isOpen, setOpen] = useState(false);
  const first = useRef<string | null>(null);
  if (code.at === 'coming') return isOverdue ? <Warning>{UNCHECKED}</Warning> : null;
  if (code.at === 'failed')
    return (
      <Warning>This call may not be private: someone else may be listening in. Leave, and use the telephone.</Warning>
    );
  const words = code.words.join(' ');
  first.current ??= words;
  // A code that was compared before says nothing about a later connection.
  const isNew = words !== first.current;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label={`Private line. ${isNew ? 'New code' : 'Code'}: ${words}. What is this?`}
        data-call-code={words}
        className="inline-flex min-h-8 items-center gap-1.5 rounded-full bg-good-soft px-3 text-[13px] font-medium text-good-ink hover:underline"
      >
        <LockKeyhole aria-hidden className="size-3.5 shrink-0" />
        {isNew ? 'New code: ' : 'Code: '}
        {words}
      </button>
      <p role="status" className="sr-only">
        {isNew && `You were connected again, so the four words are new: ${words}.`}
      </p>
      {isOpen && (
        <Dialog open onOpenChange={setOpen} title="Is this call private?" size="sm">
          <DialogBody className="grid gap-3 pb-5">
            {isNew && <p>You were connected again during this call, so the words are new.</p>}
            <p>
              Only you and {other} can see and hear this call. To be certain, read these four words aloud to each other:
            </p>
            <p className="rounded-lg bg-sunken px-3 py-4 text-center text-lg font-semibold tracking-wide">{words}</p>
            <p>
              If {other} has the same words, no one is listening in, not even the service that connected you. If the
              words differ, leave and use the telephone.
            </p>
          </DialogBody>
        </Dialog>
      )}
    </>
  );
}

const UNCHECKED =
  'We could not check that this call is private. Leave and come back; if this still shows, use the telephone.';

function Warning({ children }: { children: string }) {
  return (
    <p role="alert" className="flex items-start gap-2 rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
      <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {children}
    </p>
  );
}

type CallStageProps = {
  call: Call;
  media: Media;
  /** The name of the other participant. */
  other: string;
  leaveOptions: { label: string; onSelect: () => void }[];
};

/** A network that blocks the call cannot be distinguished from a slow one earlier. */
const SLOW_CONNECTION_MS = 20_000;
/** Time within which two connected browsers have computed the code, also on slow devices. */
const CODE_TIMEOUT_MS = 20_000;
const SLOW_CONNECTION_ADVICE =
  'This takes long: your network, or theirs, may not let video calls through. Try another one, for instance that of a phone, or use the telephone.';

/** The text in place of the remote video; null while the video shows. */
function placeholderText({ connection, remote, room }: CallState, other: string, isLong: boolean): string | null {
  if (connection === 'connected' && (remote.screen || remote.camera)) return null;
  if (connection === 'connected') return `${other} is here, without a picture.`;
  if (isLong && room?.other === 'here') return SLOW_CONNECTION_ADVICE;
  if (connection === 'broken') return 'The connection was lost. We are bringing it back…';
  if (room?.other === 'away') return `${other} is away for a moment. Please stay here.`;
  if (!room?.other_seat_id) return `${other} has left the call, and may come back.`;
  return `Connecting you with ${other}…`;
}

/** The call: the remote video large, the own video small, and the controls. */
export function CallStage({ call, media, other, leaveOptions }: CallStageProps) {
  const state = useStore(call);
  const { screen, camera, isMuted, choice } = useStore(media);
  const [isChatOpen, setChatOpen] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const [seenCount, setSeenCount] = useState(0);
  const title = useRef<HTMLHeadingElement>(null);
  // The button that opened this view is gone, so the heading gets the focus.
  useEffect(() => {
    title.current?.focus();
  }, []);
  useEffect(() => {
    if (isChatOpen) setSeenCount(state.chat.length);
  }, [isChatOpen, state.chat.length]);
  const ownTrack = screen ?? camera;
  const { remote, quality } = state;
  const isTrying = state.connection !== 'connected' && state.room?.other === 'here';
  const statusText = placeholderText(state, other, useSustained(isTrying, SLOW_CONNECTION_MS));
  const isOverdue = useSustained(state.connection === 'connected' && state.code.at === 'coming', CODE_TIMEOUT_MS);
  const side = state.connection === 'connected' ? remoteDevicesMessage(other, state.remoteDevices) : null;
  const unread = isChatOpen ? 0 : state.chat.slice(seenCount).filter(({ isOwn }) => !isOwn).length;
  return (
    <WholePage>
      <section
        aria-label={`Call with ${other}`}
        className="fixed inset-0 z-40 flex flex-col overflow-x-hidden overflow-y-auto bg-canvas text-ink"
      >
        <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
          <h1 ref={title} tabIndex={-1} className="min-w-0 font-semibold wrap-anywhere outline-none">
            {other}
          </h1>
          {state.connection === 'connected' && quality && (
            <Badge tone={QUALITY_LABELS[quality][0]} dot>
              {QUALITY_LABELS[quality][1]}
            </Badge>
          )}
          <div className="ml-auto">
            <CallCode code={state.code} other={other} isOverdue={isOverdue} />
          </div>
        </header>
        <Notices call={call} media={media} />
        <div className="flex min-h-40 flex-1 flex-col landscape:flex-row">
          <div className="relative min-h-0 min-w-0 flex-1 overflow-hidden bg-black">
            {remote.screen ? (
              <TrackVideo track={remote.screen} label={`Screen of ${other}`} className="size-full object-contain" />
            ) : (
              remote.camera && (
                <TrackVideo track={remote.camera} label={`Picture of ${other}`} className="size-full object-contain" />
              )
            )}
            {statusText && (
              <div className="absolute inset-0 grid place-content-center justify-items-center gap-3 bg-sunken px-6 text-center">
                <span className="grid size-20 place-items-center rounded-full bg-neutral-soft text-neutral-ink">
                  <UserRound aria-hidden className="size-10" />
                </span>
                <p className="max-w-xs text-balance wrap-anywhere">{statusText}</p>
              </div>
            )}
            {side && (
              <p className="absolute top-3 left-3 z-10 flex max-w-[calc(100%-1.5rem)] items-center gap-1.5 rounded-md bg-warn-soft px-2 py-1 text-[13px] text-warn-ink wrap-anywhere">
                {state.remoteDevices?.microphone === 'on' ? (
                  <VideoOff aria-hidden className="size-3.5 shrink-0" />
                ) : (
                  <MicOff aria-hidden className="size-3.5 shrink-0" />
                )}
                {side}
              </p>
            )}
            <RemoteSound track={remote.microphone} speaker={choice.speaker} />
            <div
              className={cn(
                'absolute right-3 bottom-3 w-26 overflow-hidden rounded-lg border border-line bg-sunken shadow-pop md:w-48',
                // Next to a chat, a phone has room for one video.
                isChatOpen && 'max-md:hidden',
              )}
            >
              {ownTrack ? (
                <TrackVideo
                  track={ownTrack}
                  label={screen ? 'Your screen, as it is shown' : 'Your picture'}
                  isMirrored={!screen}
                  className="aspect-[3/4] w-full object-cover md:aspect-video"
                />
              ) : (
                <p className="grid aspect-[3/4] w-full place-content-center justify-items-center gap-1 text-xs text-muted md:aspect-video">
                  <VideoOff aria-hidden className="size-5" />
                  Camera off
                </p>
              )}
              {isMuted && (
                <p className="absolute inset-x-0 bottom-0 flex items-center justify-center gap-1 bg-warn-soft py-0.5 text-xs text-warn-ink">
                  <MicOff aria-hidden className="size-3.5" />
                  Muted
                </p>
              )}
            </div>
          </div>
          {isChatOpen && (
            <CallChat
              messages={state.chat}
              other={other}
              canSend={state.canChat}
              onSend={call.sendMessage}
              onClose={() => setChatOpen(false)}
            />
          )}
        </div>
        <CallControls
          media={media}
          isChatOpen={isChatOpen}
          unread={unread}
          onChat={() => setChatOpen(!isChatOpen)}
          onDevices={() => setChoosing(true)}
          leaveOptions={leaveOptions}
        />
        <p role="status" className="sr-only">
          {statusText ?? `You and ${other} are connected.`}
          {state.connection === 'connected' && quality && quality !== 'good' && ` ${QUALITY_LABELS[quality][1]}.`}
          {side && ` ${side}.`}
          {unread > 0 && ` ${other} wrote: ${state.chat.at(-1)?.text}`}
        </p>
        {isChoosing && (
          <Dialog open onOpenChange={setChoosing} title="Camera and sound" size="sm">
            <DialogBody className="pb-5">
              <DevicePanel media={media} />
            </DialogBody>
          </Dialog>
        )}
      </section>
    </WholePage>
  );
}

/** Notices that require an action by the user. */
function Notices({ call, media }: Pick<CallStageProps, 'call' | 'media'>) {
  const { isCameraAutoOff, quality } = useStore(call);
  const { trouble, microphone, camera, screen } = useStore(media);
  const notices: ReactNode[] = [
    isCameraAutoOff &&
      'Your connection is weak, so your camera was turned off to keep the sound clear. You can turn it on again.',
    !isCameraAutoOff &&
      quality === 'broken' &&
      'The connection is bad, and you may not hear each other well. Move closer to your Wi-Fi box, or leave and come back.',
    !microphone && trouble.microphone && deviceMessage('microphone', trouble.microphone),
    !camera && trouble.camera && deviceMessage('camera', trouble.camera),
    screen && 'You are showing your screen.',
  ].filter(Boolean);
  return (
    <div role="status" className="grid gap-1 px-3 pb-2 empty:hidden">
      {notices.map((notice) => (
        <p key={String(notice)} className="rounded-md bg-warn-soft px-3 py-1.5 text-[13px] text-warn-ink">
          {notice}
        </p>
      ))}
    </div>
  );
}

/** Returns true when a condition has held for `ms` without interruption. */
function useSustained(condition: boolean, ms: number): boolean {
  const [isSustained, setSustained] = useState(false);
  useEffect(() => {
    setSustained(false);
    if (!condition) return;
    const timer = setTimeout(() => setSustained(true), ms);
    return () => clearTimeout(timer);
  }, [condition, ms]);
  return condition && isSustained;
}

/** Covers the page in the dark theme: the content below is inert until it unmounts. */
function WholePage({ children }: { children: ReactNode }) {
  const [container] = useState(() => document.createElement('div'));
  // A layout effect, because the children's effects set the focus.
  useLayoutEffect(() => {
    // Live regions stay active: toasts are shown on top and announced.
    const covered = [...document.body.children].filter(
      (element) => element instanceof HTMLElement && !element.inert && !element.matches('[aria-live]'),
    );
    for (const element of covered) (element as HTMLElement).inert = true;
    document.body.append(container);
    // Menus and dialogs are rendered next to it, in the body.
    document.body.dataset.theme = 'dark';
    return () => {
      delete document.body.dataset.theme;
      container.remove();
      for (const element of covered) (element as HTMLElement).inert = false;
    };
  }, [container]);
  return createPortal(children, container);
}

/** Plays the remote sound on the chosen speaker. Shows a button if the browser requires a user gesture first. */
function RemoteSound({ track, speaker }: { track: MediaStreamTrack | null; speaker: string | undefined }) {
  const sound = useRef<HTMLAudioElement>(null);
  const [isBlocked, setBlocked] = useState(false);
  useEffect(() => {
    const element = sound.current;
    if (!element) return;
    element.srcObject = track ? new MediaStream([track]) : null;
    if (track)
      element.play().then(
        () => setBlocked(false),
        (error: Error) => setBlocked(error.name === 'NotAllowedError'),
      );
  }, [track]);
  useEffect(() => {
    if (sound.current) void playOn(sound.current, speaker);
  }, [speaker]);
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: live speech has no captions */}
      <audio ref={sound} autoPlay />
      {isBlocked && (
        <Button
          variant="primary"
          size="lg"
          className="absolute top-1/2 left-1/2 z-10 -translate-1/2"
          onClick={() => void sound.current?.play().then(() => setBlocked(false))}
        >
          <Volume2 aria-hidden />
          Turn on the sound
        </Button>
      )}
    </>
  );
}
