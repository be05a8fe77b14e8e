import path from 'node:path';
import { freePort } from '../../launcher/free-port.mjs';
import { buildFolder } from '../../launcher/root.mjs';
import { runAttacks } from './attacks.mjs';
import { runJourneys } from './journeys.mjs';
import { judgeSecondRun } from './judge-second-run.mjs';
import { readLedger } from './ledger.mjs';
import { serve } from './serve.mjs';
import { runTests } from './tests.mjs';

/** With more failures than this something is broken, and a second run would only take time. */
const MOST_FAILURES = 20;

/**
 * Runs what failed once more, at the very end: each Vitest file in a process of its own, journeys and attacks on a fresh
 * copy. What passes then is unsteady: the run is not red for it, but prints it. This is the only second chance: neither
 * Vitest nor Playwright repeats a test by itself, and `npm run prove` has none.
 */
export async function runAgain(tally) {
  const failures = tally.failures();
  const tried = failures.filter(({ again }) => again);
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
  // A run that broke off says nothing about the tests in it.
  const isWhole = results.every((result) => result.failures.every(({ again }) => again));
  const passedAgain = new Set(isWhole ? tried.map(({ name }) => name).filter((name) => !failedAgain.has(name)) : []);
  const known = new Set(readLedger().map((entry) => entry.test));
  tally.judge((all) => judgeSecondRun(all, passedAgain, known));
}

const valuesOf = (failures, kind) => [...new Set(failures.map(({ again }) => again[kind]).filter(Boolean))];
