import { expect, test } from 'vitest';
import { permissionsOf, type Role } from '#contract/roles.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import {
  type AppointmentPhase,
  allowedActions,
  isByVideo,
  isTimeToJoin,
  joinLabel,
  joinLink,
  phaseOf,
  shownStatus,
  undoableMark,
  usesPortalRoom,
} from './appointment.ts';

const appointment = (status: 'scheduled' | 'canceled' | 'no_show', marks: Partial<AppointmentView> = {}) => ({
  status,
  from_date: '2026-11-23T09:00:00-05:00',
  to_date: '2026-11-23T09:30:00-05:00',
  time_zone: 'America/New_York',
  ...{ checked_in_at: null, completed_at: null, canceled_at: null },
  ...marks,
});
const IN_PHASE: Record<AppointmentPhase, [time: string, appointment: ReturnType<typeof appointment>]> = {
  ahead: ['08:00:00', appointment('scheduled')],
  running: ['09:10:00', appointment('scheduled')],
  over: ['10:00:00', appointment('scheduled')],
  completed: ['09:20:00', appointment('scheduled', { completed_at: '2026-11-23T14:00:00Z' })],
  ended: ['10:00:00', appointment('canceled')],
};
const actionsOf = (role: Role, phase: AppointmentPhase) => {
  const [time, one] = IN_PHASE[phase];
  return allowedActions(one, at(time), permissionsOf(role, []));
};
const at = (time: string) => Date.parse(`2026-11-23T${time}-05:00`);

test('returns the phase of an appointment before its start, from its start and from its end', () => {
  expect(phaseOf(appointment('scheduled'), at('08:59:59'))).toBe('ahead');
  expect(phaseOf(appointment('scheduled'), at('09:00:00'))).toBe('running');
  expect(phaseOf(appointment('scheduled'), at('09:30:00'))).toBe('over');
  expect(phaseOf(appointment('canceled'), at('08:00:00'))).toBe('ended');
});

test('allows a no-show for a running appointment, but not for an upcoming one', () => {
  expect(actionsOf('admin', 'ahead')).not.toContain('no_show');
  expect(actionsOf('admin', 'running')).toContain('no_show');
  expect(actionsOf('admin', 'over')).toEqual(['join', 'completed', 'no_show']);
  expect(actionsOf('admin', 'completed')).toEqual([]);
  expect(actionsOf('admin', 'ended')).toEqual([]);
});

test('lets the front desk move an appointment but not join it, and billing neither', () => {
  expect(actionsOf('practitioner', 'ahead')).toEqual(['join', 'checked_in', 'move', 'cancel']);
  expect(actionsOf('front_desk', 'ahead')).toEqual(['checked_in', 'move', 'cancel']);
  expect(actionsOf('billing', 'ahead')).toEqual([]);
  expect(actionsOf('read_only', 'running')).toEqual([]);
});

test('a visit can be joined for an hour after its end, as long as its room is open', () => {
  const all = permissionsOf('admin', []);
  expect(allowedActions(appointment('scheduled'), at('10:29:59'), all)).toContain('join');
  expect(allowedActions(appointment('scheduled'), at('10:30:00'), all)).not.toContain('join');
});

test('a patient checks in on the day, once, and is then ready to be seen', () => {
  const all = permissionsOf('admin', []);
  const dayBefore = Date.parse('2026-11-22T23:59:00-05:00');
  expect(allowedActions(appointment('scheduled'), dayBefore, all)).toEqual(['join', 'move', 'cancel']);
  const checkedIn = appointment('scheduled', { checked_in_at: '2026-11-23T13:50:00Z' });
  expect(allowedActions(checkedIn, at('08:55:00'), all)).toEqual(['join', 'completed', 'move', 'cancel']);
  expect(allowedActions(checkedIn, at('08:45:00'), all)).toContain('completed');
  expect(allowedActions(checkedIn, at('08:44:59'), all)).not.toContain('completed');
  expect(shownStatus(checkedIn)).toBe('checked_in');
  expect(shownStatus({ ...checkedIn, completed_at: '2026-11-23T14:30:00Z' })).toBe('completed');
  expect(shownStatus({ ...checkedIn, status: 'no_show' })).toBe('no_show');
});

test('the latest mark can be undone for ten minutes, by those who may set it', () => {
  const [all, none] = [permissionsOf('front_desk', []), permissionsOf('read_only', [])];
  const checkedIn = appointment('scheduled', { checked_in_at: '2026-11-23T14:00:00Z' });
  const completed = { ...checkedIn, completed_at: '2026-11-23T14:05:00Z' };
  const missed = appointment('no_show', { canceled_at: '2026-11-23T14:05:00Z' });
  expect(undoableMark(checkedIn, at('09:09:00'), all)).toBe('checked_in');
  expect(undoableMark(checkedIn, at('09:10:00'), all)).toBeNull();
  expect(undoableMark(completed, at('09:09:00'), all)).toBe('completed');
  expect(undoableMark(completed, at('09:15:00'), all)).toBeNull();
  expect(undoableMark(missed, at('09:14:00'), all)).toBe('no_show');
  expect(undoableMark(missed, at('09:15:00'), all)).toBeNull();
  expect(undoableMark(missed, at('09:09:00'), none)).toBeNull();
  expect(
    undoableMark(appointment('canceled', { canceled_at: '2026-11-23T14:05:00Z' }), at('09:09:00'), all),
  ).toBeNull();
});

test('it is time to join from 15 minutes before the start until the end', () => {
  const times = ['08:44:59', '08:45:00', '09:29:59', '09:30:00'];
  expect(times.map((time) => isTimeToJoin(appointment('scheduled'), at(time)))).toEqual([false, true, true, false]);
  expect(isTimeToJoin(appointment('canceled'), at('09:00:00'))).toBe(false);
  expect(isTimeToJoin(appointment('no_show'), at('09:00:00'))).toBe(false);
});

test('an appointment at an address is not by video', () => {
  const video_call_url = 'https://care.example.test/visit#t.abc';
  expect(isByVideo({ location: null, video_call_url })).toBe(true);
  expect(isByVideo({ location: video_call_url, video_call_url })).toBe(true);
  expect(isByVideo({ location: '12 Lake Road', video_call_url })).toBe(false);
});

const ORIGIN = 'https://care.example.test';

test.each([
  ['https://care.example.test/visit#t.abc', '/appointments/7/call'],
  ['https://care.example.test/visit/t.abc', '/appointments/7/call'],
  // The portal is opened under another name.
  ['https://www.care.example.test/visit#t.abc', '/appointments/7/call'],
  ['https://care.example.test/visitors/abc', 'https://care.example.test/visitors/abc'],
  ['https://rooms.example.test/visit/t.abc', 'https://rooms.example.test/visit/t.abc'],
])('for %s the join link is %s', (video_call_url, href) => {
  expect(joinLink({ id: '7', video_call_url }, ORIGIN)).toBe(href);
  expect(usesPortalRoom({ video_call_url }, ORIGIN)).toBe(href !== video_call_url);
});

test('the label of the join link names the site of rooms elsewhere', () => {
  expect(joinLabel({ video_call_url: 'https://care.example.test/visit#t.abc' }, ORIGIN)).toBe('Join by video');
  expect(joinLabel({ video_call_url: 'https://rooms.example.test/t.abc' }, ORIGIN)).toBe('Join at rooms.example.test');
});
