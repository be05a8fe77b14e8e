// `npm test`: everything that is checked, on real parts, from an empty checkout on.
import './start/require-node.mjs';

const { createTally } = await import('./checks/tally.mjs');
const { install } = await import('./start/install.mjs');
const { checkSources } = await import('./checks/sources.mjs');
const { findChromium } = await import('./checks/find-chromium.mjs');
const { findCoturn } = await import('./checks/find-coturn.mjs');
const { findFirefox } = await import('./checks/find-firefox.mjs');
const { findPgbouncer } = await import('./checks/find-pgbouncer.mjs');
const { findSampleTools } = await import('./checks/find-sample-tools.mjs');
const { checkUnused } = await import('./checks/unused.mjs');
const { runTests } = await import('./checks/tests.mjs');
const { runServed } = await import('./checks/served.mjs');

const tally = createTally();
if (await tally.prepare((step) => install(step, { tools: true }))) {
  await checkSources(tally);
  await checkUnused(tally);
  // Tests and journeys find them there. Without them the tests that need them fail; they are never passed over.
  await tally.prepare(async (step) => {
    process.env.CHROMIUM_PATH = await findChromium(step);
    process.env.PGBOUNCER_PATH = await findPgbouncer(step);
    process.env.COTURN_PATH = await findCoturn(step);
    process.env.FIREFOX_PATH = await findFirefox(step);
    await findSampleTools(step);
  });
  await runTests(tally, 'unit and integration tests', []);
  await runServed(tally);
}
tally.finish();
