import type { WaitingView } from '#contract/visits.ts';

export type NotificationState = 'on' | 'ask' | 'refused' | 'unsupported';

/** Notification permission of this browser. */
export function notificationState(): NotificationState {
  if (typeof Notification === 'undefined') return 'unsupported';
  return ({ granted: 'on', denied: 'refused', default: 'ask' } as const)[Notification.permission];
}

/**
 * Shows a notification without a patient's name, because it may appear on a locked screen. A click leads to the page.
 */
export function showNotification({ appointment_id, practitioner }: WaitingView): void {
  if (notificationState() !== 'on' || document.visibilityState === 'visible') return;
  const note = new Notification('A patient is waiting', {
    body: `For a video visit with ${practitioner}`,
    // Notifications of several tabs replace each other.
    tag: `carelane-waiting-${appointment_id}`,
  });
  note.onclick = () => {
    window.focus();
    note.close();
  };
}
