'use client';
import { Bell, BellOff, BellRing } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from '#web/ui/button.tsx';
import { DropdownMenu, type MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { toast } from '#web/ui/toast.ts';
import { type NotificationState, notificationState, ring } from './alerts.ts';

const KEY = 'carelane-bell';
const CHANGED = 'carelane-bell-changed';

/** The sound is on until it is turned off in this browser. */
export const isBellOn = (): boolean => window.localStorage.getItem(KEY) !== 'off';

function setBell(isOn: boolean): void {
  window.localStorage.setItem(KEY, isOn ? 'on' : 'off');
  window.dispatchEvent(new Event(CHANGED));
}

function follow(changed: () => void): () => void {
  window.addEventListener(CHANGED, changed);
  // Changes by another tab.
  window.addEventListener('storage', changed);
  return () => {
    window.removeEventListener(CHANGED, changed);
    window.removeEventListener('storage', changed);
  };
}

const useBell = (): boolean => useSyncExternalStore(follow, isBellOn, () => true);

/** Settings of how waiting patients are announced: by sound and by browser notification. */
export function AlertSettings() {
  const isOn = useBell();
  const [notes, setNotes] = useState<NotificationState>('unsupported');
  useEffect(() => setNotes(notificationState()), []);
  const requestPermission = async () => {
    await Notification.requestPermission();
    const choice = notificationState();
    setNotes(choice);
    if (choice === 'on') toast.success('Your browser will tell you, also while you look at something else');
  };
  const entries: MenuEntry[] = [
    {
      kind: 'choice',
      label: 'Sound when a patient waits',
      value: isOn ? 'on' : 'off',
      onChange: (value) => {
        setBell(value === 'on');
        // Plays the sound as a sample.
        if (value === 'on') void ring();
      },
      options: [
        { value: 'on', label: 'On', icon: Bell },
        { value: 'off', label: 'Off', icon: BellOff },
      ],
    },
    ...(notes === 'ask'
      ? [
          {
            kind: 'action' as const,
            label: 'Tell me outside this page too',
            icon: BellRing,
            onSelect: () => void requestPermission(),
          },
        ]
      : []),
  ];
  return (
    <DropdownMenu
      label="When a patient waits"
      trigger={
        <Button aria-label="When a patient waits">{isOn ? <Bell aria-hidden /> : <BellOff aria-hidden />}</Button>
      }
      entries={entries}
    />
  );
}
