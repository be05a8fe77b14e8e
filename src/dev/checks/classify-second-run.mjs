/** A run with more unsteady tests than this fails. */
export const MOST_UNSTEADY = 3;

/**
 * Tests of these areas must pass the first time: identity, sign-in, tokens, care, audit, tenants, authorisation, and
 * canaries in logs.
 */
const STRICT =
  /(^|[/-])(identity|tokens?|care|audit|tenancy|rls|pooler|authorisation|canaries|sign-(in|up)|session|two-step)\b/;

/**
 * Decides which failed tests a second run excuses.
 * @param {import('./results.mjs').Failure[]} failures of the first run
 * @param {Set<string>} passedAgain names of the tests that passed the second time
 * @param {Set<string>} [known] names of tests in the ledger: their cause was fixed, so they are not excused again
 * @returns {{ unsteady: import('./results.mjs').Failure[], failures: import('./results.mjs').Failure[] }} `unsteady`
 * are excused and listed, `failures` stay
 */
export function classifyFailures(failures, passedAgain, known = new Set()) {
  const isExcused = (failure) =>
    Boolean(failure.rerun) && passedAgain.has(failure.name) && !isStrict(failure) && !known.has(failure.name);
  const unsteady = failures.filter(isExcused);
  if (unsteady.length > MOST_UNSTEADY) return { unsteady: [], failures };
  return { unsteady, failures: failures.filter((failure) => !isExcused(failure)) };
}

const isStrict = ({ name, rerun }) => STRICT.test(rerun.vitest ?? rerun.journey ?? name);
