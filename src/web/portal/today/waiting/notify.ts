import type { WaitingView } from '#contract/visits.ts';

export type NoteChoice = 'on' | 'ask' | 'refused' | 'unsupported';

/** Whether this browser shows notes beside the page. */
export function noteChoice(): NoteChoice {
  if (typeof Notification === 'undefined') return 'unsupported';
  return ({ granted: 'on', denied: 'refused', default: 'ask' } as const)[Notification.permission];
}

/** A note that names nobody: it may show on a locked screen. Pressed, it leads to the page. */
export function notify({ appointment_id, practitioner }: WaitingView): void {
  if (noteChoice() !== 'on' || document.visibilityState === 'visible') return;
  const note = new Notification('A patient is waiting', {
    body: `For a video visit with ${practitioner}`,
    // Of several tabs one note is left.
    tag: `carelane-waiting-${appointment_id}`,
  });
  note.onclick = () => {
    window.focus();
    note.close();
  };
}
