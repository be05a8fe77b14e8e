/** More unsteady tests than this in one run fail it. */
export const MOST_UNSTEADY = 3;

/** What is proven here must hold each time: identity, sign-in, tokens, care, audit, tenants, authorisation, and canaries in logs. */
const STRICT =
  /(^|[/-])(identity|tokens?|care|audit|tenancy|rls|pooler|authorisation|canaries|sign-(in|up)|session|two-step)\b/;

/**
 * Decides what a second run of the failed tests means.
 * @param {import('./results.mjs').Failure[]} failures of the first run
 * @param {Set<string>} passedAgain names of those that passed when they ran a second time
 * @param {Set<string>} [known] names that were unsteady before: their cause was said to be cured
 * @returns {{ unsteady: import('./results.mjs').Failure[], failures: import('./results.mjs').Failure[] }} `unsteady` are
 * excused and listed, `failures` stay
 */
export function judgeSecondRun(failures, passedAgain, known = new Set()) {
  const isExcused = (failure) =>
    Boolean(failure.again) && passedAgain.has(failure.name) && !isStrict(failure) && !known.has(failure.name);
  const unsteady = failures.filter(isExcused);
  if (unsteady.length > MOST_UNSTEADY) return { unsteady: [], failures };
  return { unsteady, failures: failures.filter((failure) => !isExcused(failure)) };
}

const isStrict = ({ name, again }) => STRICT.test(again.vitest ?? again.journey ?? name);
