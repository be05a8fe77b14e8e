import { expect, test } from 'vitest';
import {
  PERMISSIONS,
  type Permission,
  PRACTITIONER_OPTIONS,
  permissionsOf,
  ROLES,
  rolesWith,
  TASK_ROLES,
} from './roles.ts';

const ALL = Object.keys(PERMISSIONS) as Permission[];

test('an administrator holds every permission', () => {
  expect(permissionsOf('admin', [])).toEqual(ALL);
});

test('only an administrator manages the team and the settings, and exports charts', () => {
  for (const role of ROLES.filter((one) => one !== 'admin'))
    for (const permission of ['team:manage', 'settings:manage', 'audit:read', 'charts:export'] as const)
      expect([role, permissionsOf(role, PRACTITIONER_OPTIONS).includes(permission)]).toEqual([role, false]);
});

test('read-only staff change nothing', () => {
  const held = permissionsOf('read_only', PRACTITIONER_OPTIONS);
  expect(held.every((permission) => permission.endsWith(':read'))).toBe(true);
});

test.each(ROLES)('%s reads what they may change', (role) => {
  const held = permissionsOf(role, PRACTITIONER_OPTIONS);
  const reads = (permission: Permission): Permission[] => {
    const [resource] = permission.split(':');
    if (permission === 'payments:refund' || permission === 'plans:write') return ['subscriptions:read'];
    if (permission === 'visits:host' || permission === 'unmatched:write') return ['appointments:read', 'patients:read'];
    if (permission === 'lists:export') return ['appointments:read', 'subscriptions:read'];
    return ALL.filter((one) => one === `${resource}:read`);
  };
  for (const permission of held)
    expect([permission, held]).toEqual([permission, expect.arrayContaining(reads(permission))]);
});

test('the clinic gives practitioners what it names, and no other role', () => {
  const base = permissionsOf('practitioner', []);
  expect(base).not.toEqual(expect.arrayContaining(['payments:refund']));
  expect(permissionsOf('practitioner', ['payments:refund'])).toEqual(
    ALL.filter((one) => base.includes(one) || one === 'payments:refund'),
  );
  // A value that is no option, e.g. from a later release, gives nothing.
  expect(permissionsOf('practitioner', ['team:manage'])).toEqual(base);
  expect(permissionsOf('read_only', PRACTITIONER_OPTIONS)).toEqual(permissionsOf('read_only', []));
});

test('tasks are assigned to those who may complete them', () => {
  expect(TASK_ROLES).toEqual(rolesWith('tasks:write'));
});
