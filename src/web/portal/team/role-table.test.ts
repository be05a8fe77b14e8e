import { describe, expect, test } from 'vitest';
import { PERMISSIONS, PRACTITIONER_OPTIONS, type PractitionerOption, permissionsOf, ROLES } from '#contract/roles.ts';
import { PERMISSION_GROUPS, practitionersMay, roleTable, withOption } from './role-table.ts';

describe('permission labels', () => {
  const entries = PERMISSION_GROUPS.flatMap(({ labels }) => Object.entries(labels));

  test('name each permission of the contract exactly once', () => {
    expect(entries.map(([permission]) => permission).sort()).toEqual(Object.keys(PERMISSIONS).sort());
  });

  test('differ, and can end a sentence', () => {
    expect(new Set(entries.map(([, label]) => label)).size).toBe(entries.length);
    for (const [, label] of entries) expect(label).toMatch(/^\p{Lu}.+[^.]$/u);
  });
});

describe.each<[PractitionerOption[]]>([[[]], [['payments:refund']], [[...PRACTITIONER_OPTIONS]]])(
  'the table of roles with the options %j',
  (options) => {
    const rows = roleTable(options).flatMap((group) => group.rows);

    test.each(ROLES)('says what the contract gives to %s', (role) => {
      const isHeldBy = ({ cells }: (typeof rows)[number]) => cells.some((cell) => cell.role === role && cell.isHeld);
      const held = rows.filter(isHeldBy).map(({ permission }) => permission);
      expect(held.sort()).toEqual(permissionsOf(role, options).sort());
    });

    test('has a cell for each role, and leaves the options of practitioners to the clinic', () => {
      for (const { cells } of rows) expect(cells.map(({ role }) => role)).toEqual([...ROLES]);
      const choices = rows.flatMap(({ permission, cells }) =>
        cells.filter(({ option }) => option).map(({ role, option }) => ({ permission, role, option })),
      );
      expect(choices).toHaveLength(PRACTITIONER_OPTIONS.length);
      expect(choices).toEqual(
        expect.arrayContaining(
          PRACTITIONER_OPTIONS.map((option) => ({ permission: option, role: 'practitioner', option })),
        ),
      );
    });
  },
);

test('adds and removes one option', () => {
  expect(withOption([], 'payments:refund', true)).toEqual(['payments:refund']);
  expect(withOption(['payments:refund'], 'payments:refund', true)).toEqual(['payments:refund']);
  expect(withOption(['payments:refund', 'lists:export'], 'payments:refund', false)).toEqual(['lists:export']);
});

test('says what practitioners may do', () => {
  expect(practitionersMay('Refund payments')).toBe('Practitioners may refund payments');
  expect(practitionersMay('Refund payments', 'no longer')).toBe('Practitioners may no longer refund payments');
});
