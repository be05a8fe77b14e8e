import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WaitingView } from '#contract/visits.ts';
import { notificationState, showNotification, withCount } from './alerts.ts';

const WREN = {
  ...{
    appointment_id: 'visit-1',
    patient_id: 'patient-1',
    patient_name: 'Wren Example',
    practitioner: 'Rowan Example',
  },
} as WaitingView;

/** The browser's notifications, as far as this module uses them. */
class StubbedNotification {
  static permission: NotificationPermission = 'granted';
  static shown: StubbedNotification[] = [];
  onclick: (() => void) | null = null;
  isClosed = false;
  readonly title: string;
  readonly options: NotificationOptions;
  constructor(title: string, options: NotificationOptions) {
    this.title = title;
    this.options = options;
    StubbedNotification.shown.push(this);
  }
  close(): void {
    this.isClosed = true;
  }
}
const focus = vi.fn();
function stubPage(visibilityState: DocumentVisibilityState, permission: NotificationPermission = 'granted'): void {
  StubbedNotification.permission = permission;
  vi.stubGlobal('Notification', StubbedNotification);
  vi.stubGlobal('document', { visibilityState });
  vi.stubGlobal('window', { focus });
}
beforeEach(() => {
  StubbedNotification.shown = [];
  focus.mockClear();
});
afterEach(() => void vi.unstubAllGlobals());

test('shows a notification without a patient’s name for a hidden tab, and focuses the page on click', () => {
  stubPage('hidden');
  showNotification(WREN);
  const [note, ...more] = StubbedNotification.shown;
  expect(more).toEqual([]);
  expect(note).toMatchObject({
    title: 'A patient is waiting',
    options: { body: 'For a video visit with Rowan Example', tag: 'carelane-waiting-visit-1' },
  });
  expect(JSON.stringify(note)).not.toMatch(/Wren|patient-1/);
  note?.onclick?.();
  expect(focus).toHaveBeenCalledOnce();
  expect(note?.isClosed).toBe(true);
});

test('shows no notification while the page is visible', () => {
  stubPage('visible');
  showNotification(WREN);
  expect(StubbedNotification.shown).toEqual([]);
});

test.each<[NotificationPermission, string]>([
  ['granted', 'on'],
  ['default', 'ask'],
  ['denied', 'refused'],
])('maps the permission %s to the choice “%s”, and shows no notification without it', (permission, choice) => {
  stubPage('hidden', permission);
  expect(notificationState()).toBe(choice);
  showNotification(WREN);
  expect(StubbedNotification.shown).toHaveLength(permission === 'granted' ? 1 : 0);
});

test('shows no notification in a browser that does not support them', () => {
  vi.stubGlobal('document', { visibilityState: 'hidden' });
  vi.stubGlobal('Notification', undefined);
  expect(notificationState()).toBe('unsupported');
  showNotification(WREN);
});

test.each([
  ['Today · Carelane', 1, '(1) Today · Carelane'],
  ['(1) Today · Carelane', 2, '(2) Today · Carelane'],
  ['(12) Today · Carelane', 0, 'Today · Carelane'],
  ['Today · Carelane', 0, 'Today · Carelane'],
  ['Today (2) · Carelane', 1, '(1) Today (2) · Carelane'],
])('"%s" with %i waiting is "%s"', (title, count, expected) => {
  expect(withCount(title, count)).toBe(expected);
});
