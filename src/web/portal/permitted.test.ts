import { expect, test } from 'vitest';
import { permissionsOf, type Role } from '#contract/roles.ts';
import { type Needing, permitted } from './permitted.ts';

const ENTRIES: (Needing & { label: string })[] = [
  { label: 'Receipt' },
  { label: 'Book', needs: 'appointments:write' },
  { label: 'Refund', needs: 'payments:refund' },
  { label: 'Actions', needs: ['appointments:write', 'charts:read'] },
];
const labelsFor = (role: Role) => permitted(ENTRIES, permissionsOf(role, [])).map(({ label }) => label);

test.each<[Role, string[]]>([
  ['admin', ['Receipt', 'Book', 'Refund', 'Actions']],
  ['front_desk', ['Receipt', 'Book', 'Actions']],
  ['billing', ['Receipt', 'Refund']],
  ['read_only', ['Receipt', 'Actions']],
])('leaves out what the permissions of %s do not include', (role, labels) => {
  expect(labelsFor(role)).toEqual(labels);
});
