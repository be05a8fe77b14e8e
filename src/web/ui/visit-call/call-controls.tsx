'use client';
import {
  type LucideIcon,
  Maximize,
  MessageSquare,
  Mic,
  MicOff,
  Minimize,
  MonitorUp,
  MonitorX,
  MoreHorizontal,
  PhoneOff,
  Settings2,
  Video,
  VideoOff,
} from 'lucide-react';
import { type ComponentProps, useEffect, useState } from 'react';
import { cn } from '#web/ui/cn.ts';
import { DropdownMenu, type MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { toast } from '#web/ui/toast.ts';
import { canShareScreen, type Media } from './media.ts';
import { useStore } from './use-store.ts';

type CallControlsProps = {
  media: Media;
  isChatOpen: boolean;
  unread: number;
  onChat: () => void;
  onDevices: () => void;
  /** The ways to leave the call; more than one makes a menu. */
  leaveOptions: { label: string; onSelect: () => void }[];
};

const BUTTON =
  'flex min-w-12 flex-col items-center justify-center gap-1 rounded-lg px-1 py-1.5 sm:min-w-14 sm:px-2 text-[11px] font-medium whitespace-nowrap transition-colors hover:bg-hover md:min-w-16 md:text-xs [&_svg]:size-5.5';

type ControlProps = ComponentProps<'button'> & { icon: LucideIcon; label: string; isOff?: boolean };

const Control = ({ icon: Icon, label, isOff = false, className, children, ...rest }: ControlProps) => (
  <button type="button" className={cn(BUTTON, isOff && 'bg-warn-soft text-warn-ink', className)} {...rest}>
    <Icon aria-hidden />
    {label}
    {children}
  </button>
);

const share = (media: Media) =>
  media.shareScreen().catch((error: Error) => {
    // The user closed the browser's prompt.
    if (error.name !== 'NotAllowedError') toast.error('Your screen could not be shared');
  });

/** All actions of a call, each a button with a label. */
export function CallControls({ media, isChatOpen, unread, onChat, onDevices, leaveOptions }: CallControlsProps) {
  const { microphone, camera, screen, isMuted } = useStore(media);
  const { isFull, canBeFull, toggle } = useFullScreen();
  const isSilent = isMuted || !microphone;
  const sharing = screen
    ? { label: 'Stop sharing', icon: MonitorX, onClick: () => media.stopScreen() }
    : { label: 'Share screen', icon: MonitorUp, onClick: () => void share(media) };
  const more: MenuEntry[] = [
    { kind: 'action', label: 'Camera and sound', icon: Settings2, onSelect: onDevices },
    ...(canShareScreen()
      ? [{ kind: 'action' as const, label: sharing.label, icon: sharing.icon, onSelect: sharing.onClick }]
      : []),
    ...(canBeFull
      ? [
          {
            kind: 'action' as const,
            label: isFull ? 'Leave full screen' : 'Full screen',
            icon: isFull ? Minimize : Maximize,
            onSelect: toggle,
          },
        ]
      : []),
  ];
  return (
    <div
      role="toolbar"
      aria-label="Call"
      className="flex items-center justify-center gap-1 px-2 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))] md:gap-2"
    >
      <Control
        icon={isSilent ? MicOff : Mic}
        label={isSilent ? 'Unmute' : 'Mute'}
        isOff={isSilent}
        onClick={() => (microphone ? media.mute(!isMuted) : void media.requestAgain('microphone'))}
      />
      <Control
        icon={camera ? Video : VideoOff}
        label={camera ? 'Stop camera' : 'Start camera'}
        isOff={!camera}
        onClick={() => void media.showCamera(!camera)}
      />
      {canShareScreen() && (
        <Control icon={sharing.icon} label={sharing.label} onClick={sharing.onClick} className="max-md:hidden" />
      )}
      <Control
        icon={MessageSquare}
        label="Chat"
        aria-expanded={isChatOpen}
        onClick={onChat}
        className="relative aria-expanded:bg-hover"
      >
        {unread > 0 && (
          <span className="absolute top-0.5 right-2 grid min-w-4.5 place-items-center rounded-full bg-accent px-1 text-[11px] leading-4.5 text-on-accent">
            <span className="sr-only">, </span>
            {unread}
            <span className="sr-only"> new</span>
          </span>
        )}
      </Control>
      <DropdownMenu label="More" side="top" trigger={<Control icon={MoreHorizontal} label="More" />} entries={more} />
      <Leave leaveOptions={leaveOptions} />
    </div>
  );
}

const DANGER_STYLE = 'bg-danger text-on-danger hover:bg-danger-hover';

function Leave({ leaveOptions }: Pick<CallControlsProps, 'leaveOptions'>) {
  const [first, ...others] = leaveOptions;
  if (!first) return null;
  if (others.length === 0)
    return <Control icon={PhoneOff} label={first.label} className={DANGER_STYLE} onClick={first.onSelect} />;
  return (
    <DropdownMenu
      label="Leave"
      side="top"
      trigger={<Control icon={PhoneOff} label="Leave" className={DANGER_STYLE} />}
      entries={leaveOptions.map(({ label, onSelect }) => ({ kind: 'action', label, onSelect }))}
    />
  );
}

/** Makes the whole page full screen, because menus and dialogs are rendered next to the call. */
function useFullScreen(): { isFull: boolean; canBeFull: boolean; toggle: () => void } {
  const [isFull, setFull] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const read = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', read);
    return () => {
      document.removeEventListener('fullscreenchange', read);
      // Without the call there is no button to leave full screen.
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
    };
  }, []);
  const toggle = () =>
    void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => undefined);
  return { isFull, canBeFull: document.fullscreenEnabled, toggle };
}
