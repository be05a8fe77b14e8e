/** More unsteady tests than this in one run fail it. */
export const MOST_UNSTEADY = 5;

/** What is proven here must hold each time: identity, tokens, care, audit, tenants, authorisation, and canaries in logs. */
const STRICT = /(^|[/-])(identity|tokens?|care|audit|tenancy|rls|authorisation|canaries)\b/;

/** Files under a strict name whose failures have a known cause in the test. @type {Record<string, string>} */
const KNOWN_CAUSES = {};

/**
 * Decides what a second run of the failed tests means.
 * @param {import('./results.mjs').Failure[]} failures of the first run
 * @param {Set<string>} passedAgain names of those that passed when they ran a second time
 * @returns {{ unsteady: import('./results.mjs').Failure[], failures: import('./results.mjs').Failure[] }} `unsteady` are
 * excused and listed, `failures` stay
 */
export function judgeSecondRun(failures, passedAgain) {
  const isExcused = (failure) => Boolean(failure.again) && passedAgain.has(failure.name) && !isStrict(failure);
  const unsteady = failures.filter(isExcused);
  if (unsteady.length > MOST_UNSTEADY) return { unsteady: [], failures };
  return { unsteady, failures: failures.filter((failure) => !isExcused(failure)) };
}

function isStrict({ name, again }) {
  const file = again.vitest ?? again.journey ?? name;
  return STRICT.test(file) && !(file in KNOWN_CAUSES);
}
