import { expect, test } from 'vitest';
import type { MemberView } from '#contract/team.ts';
import { changesFor } from './member-changes.ts';

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
  [{ status: 'invited' }, ['resend', 'withdraw']],
  [{ status: 'disabled', two_step: true }, ['enable']],
  [{}, ['make_admin', 'disable']],
  [{ role: 'admin', two_step: true }, ['make_practitioner', 'reset', 'disable']],
])('offers a member who is %o the changes %o', (member, changes) => {
  expect(changesFor({ ...MEMBER, ...member })).toEqual(changes);
});
