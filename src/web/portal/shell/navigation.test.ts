import { expect, test } from 'vitest';
import { isCurrent, navigationFor } from './navigation.ts';

test('hides admin pages from a practitioner', () => {
  const labels = navigationFor('practitioner', 'production').flatMap((group) => group.items.map((item) => item.label));
  expect(labels).toEqual([
    'Today',
    'Calendar',
    'Patients',
    'Appointments',
    'Practitioners',
    'Plans',
    'Subscriptions',
    'Account',
  ]);
  const settings = navigationFor('admin', 'production')
    .at(-1)
    ?.items.map((item) => item.label);
  expect(settings).toEqual(expect.arrayContaining(['Team', 'Integrations', 'API credentials', 'System']));
});

test('shows the inbox only in a sandbox', () => {
  const hrefs = (environment: 'sandbox' | 'production') =>
    navigationFor('practitioner', environment).flatMap((group) => group.items.map((item) => item.href));
  expect(hrefs('sandbox')).toContain('/inbox');
  expect(hrefs('production')).not.toContain('/inbox');
});

test('gives each page a key of its own', () => {
  const letters = navigationFor('admin', 'sandbox').flatMap((group) => group.items.map(({ letter }) => letter));
  expect(new Set(letters).size).toBe(letters.length);
});

test('marks the section of the current page and no other', () => {
  expect(isCurrent('/patients', '/patients/0199')).toBe(true);
  expect(isCurrent('/plans', '/plans-archive')).toBe(false);
  expect(isCurrent('/', '/patients')).toBe(false);
});
