import { expect, test } from 'vitest';
import { assigneeOf, choiceOf } from './assignee.ts';

const ID = '0199aaaa-0000-7000-8000-000000000000';

test.each([
  [{ assignee_id: null, assignee_role: null }, 'anyone'],
  [{ assignee_id: null, assignee_role: 'front_desk' as const }, 'role:front_desk'],
  [{ assignee_id: ID, assignee_role: null }, ID],
])('the choice for %j is %s, and back', (assignee, choice) => {
  expect(choiceOf({ ...assignee, assignee_left: false })).toBe(choice);
  expect(assigneeOf(choice)).toEqual(assignee);
});

test('a task of a staff user who has left has no choice yet', () => {
  expect(choiceOf({ assignee_id: ID, assignee_role: null, assignee_left: true })).toBe('');
});

test('an unknown role is no role', () => {
  expect(assigneeOf('role:unknown')).toEqual({ assignee_id: null, assignee_role: null });
});
