import { expect, test } from 'vitest';
import {
  AUDIT_ACTIONS,
  actionsMatching,
  currentAction,
  FORMER_ACTIONS,
  storedActions,
} from '#contract/audit-actions.ts';
import { ROUTES } from '#contract/routes.ts';
import { actionOf } from '#server/core/write-audit-entry.ts';
import { appRouter, readsOf } from '#server/router.ts';

const PROCEDURES = Object.keys(appRouter._def.procedures);

test('every procedure declares whose data it reads', () => {
  expect(PROCEDURES.filter((name) => !readsOf(name))).toEqual([]);
});

test('every procedure whose calls leave an entry has an action of the contract', () => {
  // A call for a patient leaves an entry, whichever data it reads.
  const forPatients = new Set(ROUTES.filter(({ patient }) => patient).map(({ procedure }) => procedure));
  const audited = PROCEDURES.filter((name) => readsOf(name)!.of === 'patient' || forPatients.has(name));
  expect(audited.length).toBeGreaterThan(90);
  expect(audited.filter((name) => !AUDIT_ACTIONS.includes(actionOf(name, readsOf(name)!)))).toEqual([]);
});

test('actions are named resource.verb in snake case, each once, and by no former name', () => {
  expect(AUDIT_ACTIONS.filter((action) => !/^[a-z_]+\.[a-z_]+$/.test(action))).toEqual([]);
  expect(new Set<string>(AUDIT_ACTIONS).size).toBe(AUDIT_ACTIONS.length);
  expect(AUDIT_ACTIONS.filter((action) => action in FORMER_ACTIONS)).toEqual([]);
});

test('an action is shown by its current name and found by each of its names', () => {
  expect(currentAction('visits.newLink')).toBe('visits.exchange_link');
  expect(currentAction('patients.update')).toBe('patients.update');
  expect(currentAction('letters.send')).toBe('letters.send');
  expect(currentAction('constructor')).toBe('constructor');
  const names = ['appointments.set_note', 'appointments.note', 'appointments.setNote'];
  expect(storedActions(['appointments.set_note'])).toEqual(names);
  for (const name of names) expect(actionsMatching(name)).toEqual(names);
  expect(actionsMatching('timeline')).toEqual(['timeline.list', 'story.list']);
  expect(actionsMatching('story')).toEqual(['timeline.list', 'story.list']);
  expect(actionsMatching('sign_ins')).toEqual(expect.arrayContaining(['sign_ins.help', 'patientSignIn.help']));
  expect(actionsMatching('patients')).not.toContain('sign_ins.help');
  expect(actionsMatching('letters')).toEqual([]);
});
