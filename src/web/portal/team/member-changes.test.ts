import { expect, test } from 'vitest';
import type { MemberView } from '#contract/team.ts';
import { actionsFor, handOverHint } from './member-changes.ts';

const MEMBER: MemberView = {
  id: '01a1fc96-0000-7000-8000-000000000000',
  name: 'Ada Example',
  email: 'ada@example.test',
  role: 'practitioner',
  status: 'active',
  two_step: false,
  last_signed_in_at: null,
  invitation_expires_at: null,
  created_at: '2030-01-01T00:00:00.000Z',
};

test.each<[Partial<MemberView>, string[]]>([
  [{ status: 'invited' }, ['resend', 'change_role', 'withdraw']],
  [{ status: 'disabled', two_step: true }, ['change_role', 'enable']],
  [{}, ['change_role', 'disable']],
  [{ role: 'billing', two_step: true }, ['change_role', 'reset', 'disable']],
])('offers the actions of a member who is %o: %o', (member, actions) => {
  expect(actionsFor({ ...MEMBER, ...member })).toEqual(actions);
});

test.each([
  [3, 2, 'Move the appointments and assign the tasks to others first.'],
  [1, 0, 'Move the appointment first.'],
  [0, 1, 'Assign the task to someone else first.'],
])('says what to do with %i appointments and %i tasks before a colleague is disabled', (appointments, tasks, hint) => {
  expect(handOverHint(appointments, tasks)).toBe(hint);
});
