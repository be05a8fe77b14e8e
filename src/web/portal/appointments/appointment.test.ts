import { expect, test } from 'vitest';
import { permissionsOf, type Role } from '#contract/roles.ts';
import {
  type AppointmentPhase,
  allowedActions,
  isByVideo,
  isTimeToJoin,
  joinLink,
  phaseOf,
  usesPortalRoom,
} from './appointment.ts';

const appointment = (status: 'scheduled' | 'canceled' | 'no_show') => ({
  status,
  from_date: '2026-11-23T09:00:00-05:00',
  to_date: '2026-11-23T09:30:00-05:00',
});
const actionsOf = (role: Role, phase: AppointmentPhase) => allowedActions(phase, permissionsOf(role, []));
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
  expect(actionsOf('admin', 'over')).toEqual(['no_show']);
  expect(actionsOf('admin', 'ended')).toEqual([]);
});

test('lets the front desk move an appointment but not join it, and billing neither', () => {
  expect(actionsOf('practitioner', 'ahead')).toEqual(['join', 'move', 'cancel']);
  expect(actionsOf('front_desk', 'ahead')).toEqual(['move', 'cancel']);
  expect(actionsOf('billing', 'ahead')).toEqual([]);
  expect(actionsOf('read_only', 'running')).toEqual([]);
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
  ['https://care.example.test/visitors/abc', 'https://care.example.test/visitors/abc'],
  ['https://rooms.example.test/visit/t.abc', 'https://rooms.example.test/visit/t.abc'],
])('for %s the join link is %s', (video_call_url, href) => {
  expect(joinLink({ id: '7', video_call_url }, ORIGIN)).toBe(href);
  expect(usesPortalRoom({ video_call_url }, ORIGIN)).toBe(href !== video_call_url);
});
