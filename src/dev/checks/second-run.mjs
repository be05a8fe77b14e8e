import path from 'node:path';
import { freePort } from '../../launcher/free-port.mjs';
import { buildFolder } from '../../launcher/root.mjs';
import { runAttacks } from './attacks.mjs';
import { classifyFailures } from './classify-second-run.mjs';
import { runJourneys } from './journeys.mjs';
import { readLedger } from './ledger.mjs';
import { serve } from './serve.mjs';
import { runTests } from './tests.mjs';

/** More failures than this have a common cause, and a second run would only take time. */
const MOST_FAILURES = 20;

/**
 * Runs failed tests once more at the end: each Vitest file in its own process, end-to-end tests and attacks on a new
 * copy. Tests that pass then are unsteady: the run lists them and does not fail. Neither Vitest nor Playwright retries,
 * and `npm run prove` has no second run.
 */
export async function runAgain(tally) {
  const failures = tally.failures();
  const tried = failures.filter(({ rerun }) => rerun);
  if (tried.length === 0 || failures.length > MOST_FAILURES) return;
  console.log(`\nsecond run of ${tried.length} that failed`);
  const results = [];
  for (const file of valuesOf(tried, 'vitest')) results.push(await runTests(file, ['--maxWorkers=1', file]));
  const journeys = valuesOf(tried, 'journey');
  const attacks = valuesOf(tried, 'attack');
  if (journeys.length + attacks.length > 0)
    await tally.prepare(async () => {
      const data = path.join(buildFolder, 'test-again');
      const card = path.join(data, 'card.json');
      const copy = await serve({ data, port: await freePort() });
      for (const name of attacks) results.push(await runAttacks(card, ['--only', name]));
      if (journeys.length > 0) results.push(await runJourneys([card], ['--output=test-results-again', ...journeys]));
      await copy.stop();
    });
  const failedAgain = new Set(results.flatMap((result) => result.failures.map(({ name }) => name)));
  // An aborted run says nothing about its tests.
  const isComplete = results.every((result) => result.failures.every(({ rerun }) => rerun));
  const passedAgain = new Set(isComplete ? tried.map(({ name }) => name).filter((name) => !failedAgain.has(name)) : []);
  const known = new Set(readLedger().map((entry) => entry.test));
  tally.excuse((all) => classifyFailures(all, passedAgain, known));
}

const valuesOf = (failures, kind) => [...new Set(failures.map(({ rerun }) => rerun[kind]).filter(Boolean))];
