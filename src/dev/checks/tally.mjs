import { stripVTControlCharacters } from 'node:util';
import { createProgress } from '../../launcher/progress.mjs';
import { UserError } from '../../launcher/user-error.mjs';
import { entriesFor } from './ledger.mjs';

const LINES_OF_A_FAILURE = 12;
const LINES_OF_A_PAGE = 30;
/** Time limit of `npm test` on two cores. */
const CEILING_SECONDS = 720;

/** Counts passed and failed checks and continues after a failure, so that one run reports all. */
export function createTally() {
  const { step, total } = createProgress();
  let passed = 0;
  let failures = [];
  let unsteady = [];
  const timings = [];
  const phases = [];

  async function attempt(name, work) {
    try {
      await work();
      return true;
    } catch (error) {
      const why = error instanceof UserError ? error.message : error.stack;
      console.error(`\n${why}\n`);
      failures.push({ name, why });
      return false;
    }
  }

  return {
    /** Work that is not a check itself: only its failure counts. */
    prepare: (work) => attempt('what the checks need', () => work(step)),
    /** Runs one check. */
    async check(name, work) {
      const done = await attempt(name, () => step(name, work));
      if (done) passed += 1;
      return done;
    },
    /** Adds the counts of another tool. */
    add(counts) {
      passed += counts.passed;
      failures.push(...(counts.failures ?? []));
      timings.push(...(counts.timings ?? []));
    },
    /** Records how long a part of the run takes. */
    async phase(name, work) {
      const start = performance.now();
      const result = await work();
      phases.push({ name, seconds: (performance.now() - start) / 1000 });
      return result;
    },
    failures: () => failures,
    /**
     * @param {(failures: object[]) => { unsteady: object[], failures: object[] }} classify which failures a second run
     * excuses
     */
    excuse(classify) {
      ({ unsteady, failures } = classify(failures));
      passed += unsteady.length;
    },
    finish() {
      printSlowest(timings);
      printPhases(phases);
      printFailures('unsteady: failed, and passed in a second run', unsteady);
      printEntries(unsteady);
      printFailures('what failed', failures);
      const failed = failures.length;
      if (total() > CEILING_SECONDS) console.log(`\nThis run took more than ${CEILING_SECONDS} s.`);
      console.log(`\n(${total()} s)\n${passed} passed, ${failed} failed`);
      process.exit(failed === 0 ? 0 : 1);
    },
  };
}

/** Prints the slowest test files. */
function printSlowest(timings) {
  if (timings.length === 0) return;
  console.log('\nthe ten slowest files of tests');
  const slowest = timings.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
  for (const { file, seconds } of slowest) console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
}

function printPhases(phases) {
  if (phases.length === 0) return;
  console.log('\nwall time');
  for (const { name, seconds } of phases) console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${name}`);
}

/** Prints entries for `unsteady.json`, where the next commit records the cause. */
function printEntries(unsteady) {
  if (unsteady.length === 0) return;
  console.log('\nfor src/dev/checks/unsteady.json, with the cause');
  for (const entry of entriesFor(unsteady)) console.log(`  ${entry},`);
}

/** Repeats all failures at the end, because the output in between is long. */
function printFailures(title, failures) {
  if (failures.length === 0) return;
  console.log(`\n${title}`);
  // Pages come first, because the end of a long output is read first.
  for (const { name, page } of failures)
    if (page) console.log([`  the page of ${name}`, ...linesOf(page, LINES_OF_A_PAGE)].join('\n'));
  for (const { name, why } of failures) console.log([`  ✗ ${name}`, ...linesOf(why, LINES_OF_A_FAILURE)].join('\n'));
}

const linesOf = (text, most) =>
  stripVTControlCharacters(text)
    .trimEnd()
    .split('\n')
    .slice(0, most)
    .map((line) => `      ${line}`);
