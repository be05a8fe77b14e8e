// `npm test`: everything that is checked, on real parts, from an empty checkout on.
import './start/require-node.mjs';

const { createTally } = await import('./checks/tally.mjs');
const { install } = await import('./start/install.mjs');
const { checkSources } = await import('./checks/sources.mjs');
const { findPrograms, TEST_PROGRAMS } = await import('./checks/programs.mjs');
const { runTests } = await import('./checks/tests.mjs');
const { runServed } = await import('./checks/served.mjs');
const { runAgain } = await import('./checks/second-run.mjs');

const tally = createTally();
if (await tally.prepare((step) => install(step, { tools: true }))) {
  await checkSources(tally, { unused: true });
  // Without them the tests that need them fail; they are never skipped.
  await tally.prepare((step) => findPrograms(step, TEST_PROGRAMS));
  tally.add(await runTests('unit and integration tests', []));
  await runServed(tally);
  await runAgain(tally);
}
tally.finish();
