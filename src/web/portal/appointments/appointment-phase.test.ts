import { expect, test } from 'vitest';
import { allowedActions, phaseOf } from './appointment-phase.ts';

const visit = (status: 'scheduled' | 'canceled' | 'no_show') => ({
  status,
  from_date: '2026-11-23T09:00:00-05:00',
  to_date: '2026-11-23T09:30:00-05:00',
});
const at = (time: string) => Date.parse(`2026-11-23T${time}-05:00`);

test('an appointment is ahead until it begins, and over at the moment of its end', () => {
  expect(phaseOf(visit('scheduled'), at('08:59:59'))).toBe('ahead');
  expect(phaseOf(visit('scheduled'), at('09:00:00'))).toBe('running');
  expect(phaseOf(visit('scheduled'), at('09:30:00'))).toBe('over');
  expect(phaseOf(visit('canceled'), at('08:00:00'))).toBe('ended');
});

test('allows a no-show for a running appointment, but not for an upcoming one', () => {
  expect(allowedActions('ahead')).not.toContain('no_show');
  expect(allowedActions('running')).toContain('no_show');
  expect(allowedActions('over')).toEqual(['no_show']);
  expect(allowedActions('ended')).toEqual([]);
});
