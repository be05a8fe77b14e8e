import { expect, test } from 'vitest';
import { classifyFailures, MOST_UNSTEADY } from './classify-second-run.mjs';

const inFile = (file: string, name = 'does it') => ({ name: `${file} > ${name}`, why: 'no', rerun: { vitest: file } });
const ORDINARY = inFile('src/server/plans/list-plans.db.test.ts');
const STRICT = [
  'src/server/identity/patients/sign-ups/orders.db.test.ts',
  'src/server/audit/seal-audit.db.test.ts',
  'src/server/care/races.db.test.ts',
  'src/dev/testing/session-tokens.db.test.ts',
  'src/dev/testing/planted/tenancy.db.test.ts',
  'src/dev/testing/rls.db.test.ts',
  'src/dev/testing/authorisation.db.test.ts',
  'src/dev/testing/canaries.db.test.ts',
  'src/dev/testing/pooler.db.test.ts',
  'src/dev/testing/sign-up-devices.db.test.ts',
  'src/server/http/staff-session.db.test.ts',
  'src/server/team/two-step.db.test.ts',
].map((file) => inFile(file));

test('a test that fails again stays failed', () => {
  expect(classifyFailures([ORDINARY], new Set())).toEqual({ unsteady: [], failures: [ORDINARY] });
});

test('a test that passes in the second run is unsteady', () => {
  expect(classifyFailures([ORDINARY], new Set([ORDINARY.name]))).toEqual({ unsteady: [ORDINARY], failures: [] });
});

test.each(STRICT.map((failure) => [failure.rerun.vitest, failure] as const))(
  '%s fails the run although it passed in the second run',
  (_, failure) => {
    expect(classifyFailures([failure], new Set([failure.name]))).toEqual({ unsteady: [], failures: [failure] });
  },
);

test('a second run excuses end-to-end tests of plans, but not those of the audit log', () => {
  const journeys = ['e2e/audit.spec.ts:12', 'e2e/plans.spec.ts:12'].map((journey) => ({
    name: journey,
    why: 'no',
    rerun: { journey },
  }));
  const { unsteady } = classifyFailures(journeys, new Set(journeys.map(({ name }) => name)));
  expect(unsteady.map(({ name }) => name)).toEqual(['e2e/plans.spec.ts:12']);
});

test('an error outside of tests and a file that did not load stay failed', () => {
  const failure = { name: 'an error outside of tests', why: 'no' };
  expect(classifyFailures([failure], new Set([failure.name]))).toEqual({ unsteady: [], failures: [failure] });
});

test('a test of the ledger that is unsteady again stays failed', () => {
  expect(classifyFailures([ORDINARY], new Set([ORDINARY.name]), new Set([ORDINARY.name]))).toEqual({
    unsteady: [],
    failures: [ORDINARY],
  });
});

test(`more than ${MOST_UNSTEADY} unsteady tests fail the run`, () => {
  const failures = Array.from({ length: MOST_UNSTEADY + 1 }, (_, n) => inFile('src/a.test.ts', `does ${n}`));
  const names = new Set(failures.map(({ name }) => name));
  expect(classifyFailures(failures, names)).toEqual({ unsteady: [], failures });
  const few = failures.slice(1);
  expect(classifyFailures(few, names)).toEqual({ unsteady: few, failures: [] });
});
