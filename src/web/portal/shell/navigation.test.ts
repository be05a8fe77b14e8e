import { expect, test } from 'vitest';
import { permissionsOf, type Role } from '#contract/roles.ts';
import type { MeView } from '#contract/settings.ts';
import { isCurrent, navigationFor, neededFor } from './navigation.ts';

const of = (role: Role, environment: MeView['environment']) =>
  navigationFor({ permissions: permissionsOf(role, []), environment });

test('hides admin pages from a practitioner', () => {
  const labels = of('practitioner', 'production').flatMap((group) => group.items.map((item) => item.label));
  expect(labels).toEqual([
    'Today',
    'Calendar',
    'Patients',
    'Appointments',
    'Tasks',
    'Practitioners',
    'Plans',
    'Subscriptions',
    'Account',
  ]);
  const settings = of('admin', 'production')
    .at(-1)
    ?.items.map((item) => item.label);
  expect(settings).toEqual(expect.arrayContaining(['Team', 'Integrations', 'API credentials', 'System']));
});

test('shows the inbox only in a sandbox', () => {
  const hrefs = (environment: 'sandbox' | 'production') =>
    of('practitioner', environment).flatMap((group) => group.items.map((item) => item.href));
  expect(hrefs('sandbox')).toContain('/inbox');
  expect(hrefs('production')).not.toContain('/inbox');
});

test('gives each page a key of its own', () => {
  const letters = of('admin', 'sandbox').flatMap((group) => group.items.map(({ letter }) => letter));
  expect(new Set(letters).size).toBe(letters.length);
});

test.each([
  ['/settings/team', 'team:manage'],
  ['/settings/audit', 'audit:read'],
  ['/settings/webhooks/0199', 'settings:manage'],
  ['/settings/unknown', 'settings:manage'],
])('%s needs %s', (pathname, permission) => {
  expect(neededFor(pathname)).toBe(permission);
});

test('marks the section of the current page and no other', () => {
  expect(isCurrent('/patients', '/patients/0199')).toBe(true);
  expect(isCurrent('/plans', '/plans-archive')).toBe(false);
  expect(isCurrent('/', '/patients')).toBe(false);
});
