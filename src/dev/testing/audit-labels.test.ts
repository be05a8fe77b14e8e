import { expect, test } from 'vitest';
import { readsOf } from '#server/router.ts';
import { hasActionLabel } from '#web/portal/audit/action-labels.ts';
import { loggedActions, PROCEDURES } from './logged-actions.ts';

test('every procedure declares whose data it reads', () => {
  expect(PROCEDURES.filter((name) => !readsOf(name))).toEqual([]);
});

test('every action of the audit log has a label', () => {
  const { written, all } = loggedActions();
  expect(written.length).toBeGreaterThan(40);
  expect(all.filter((action) => !hasActionLabel(action))).toEqual([]);
});
