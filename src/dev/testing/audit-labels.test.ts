import { expect, test } from 'vitest';
import {
  AUDIT_ACTIONS,
  actionsMatching,
  currentAction,
  FORMER_ACTIONS,
  storedActions,
} from '#contract/audit-actions.ts';
import { AUDIT_KINDS, actionsOfKind } from '#contract/audit-kinds.ts';
import { ROUTES } from '#contract/routes.ts';
import { actionOf } from '#server/core/write-audit-entry.ts';
import { appRouter, procedures, readsOf } from '#server/router.ts';
import { isRead, textOf } from '#web/portal/audit/action-texts.ts';

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

test('every action is of exactly one kind, under each of its names', () => {
  const names = storedActions(AUDIT_ACTIONS);
  expect(AUDIT_KINDS.flatMap(actionsOfKind).sort()).toEqual([...names].sort());
  expect(AUDIT_KINDS.filter((kind) => actionsOfKind(kind).length === 0)).toEqual([]);
});

/** They change nothing, but their input is too sensitive for an address. */
const READS_BY_POST = ['notes.search', 'patients.find_duplicates'];

test('the page takes for reads what queries read, and nothing that changes data', () => {
  const typesOf = new Map<string, Set<string>>();
  for (const name of PROCEDURES) {
    const action = actionOf(name, readsOf(name)!);
    typesOf.set(action, (typesOf.get(action) ?? new Set()).add(procedures[name]!._def.type));
  }
  const wrong = AUDIT_ACTIONS.filter((action) => {
    const types = typesOf.get(action);
    return types && isRead(action) !== (READS_BY_POST.includes(action) || !types.has('mutation'));
  });
  expect(wrong).toEqual([]);
});

test('both forms of a verb of several words end alike, so that a refused try keeps the rest of the sentence', () => {
  const differing = AUDIT_ACTIONS.map((action) => textOf(action)).filter((text) => {
    const [infinitive = '', past = ''] = text.split('|');
    return !new RegExp(`^\\w+${infinitive.replace(/^\w+/, '')}\\b`).test(past);
  });
  expect(differing).toEqual([]);
});
