// `npm test`: all checks, on real components, starting from an empty checkout.
import '../launcher/require-node.mjs';

const { createTally } = await import('./checks/tally.mjs');
const { buildPages } = await import('../launcher/build.mjs');
const { install } = await import('../launcher/install.mjs');
const { checkSources } = await import('./checks/sources.mjs');
const { findPrograms, TEST_PROGRAMS } = await import('./checks/programs.mjs');
const { runTests } = await import('./checks/tests.mjs');
const { runServed } = await import('./checks/served.mjs');
const { runAgain } = await import('./checks/second-run.mjs');

const tally = createTally();
// Without these programs the tests that need them fail; they are never skipped.
const programs = tally.prepare((step) => findPrograms(step, TEST_PROGRAMS));
if (await tally.phase('install', () => tally.prepare((step) => install(step, { tools: true })))) {
  await programs;
  await tally.phase('sources', () => checkSources(tally, { unused: true }));
  // The build for the served copies runs here, because Vitest leaves a core half idle in its first minute.
  const pages = tally.prepare(buildPages);
  await tally.phase('vitest', async () => tally.add(await runTests('unit and integration tests', [])));
  if (await pages) await runServed(tally);
  await tally.phase('second run', () => runAgain(tally));
}
tally.finish();
