// `npm run prove`: the long form of what `npm test` shows in short, one part after another whatever a part finds.
import './start/require-node.mjs';
import path from 'node:path';

const { freePort } = await import('./free-port.mjs');
const { buildFolder } = await import('./root.mjs');
const { createTally } = await import('./checks/tally.mjs');
const { install } = await import('./start/install.mjs');
const { findChromium } = await import('./checks/find-chromium.mjs');
const { findCoturn } = await import('./checks/find-coturn.mjs');
const { findPgbouncer } = await import('./checks/find-pgbouncer.mjs');
const { runTests } = await import('./checks/tests.mjs');
const { runAttacks } = await import('./checks/attacks.mjs');
const { runJourneys } = await import('./checks/journeys.mjs');
const { serve } = await import('./checks/serve.mjs');

Object.assign(process.env, { PROVE: '1', TEST_ORDERS: '120', FUZZ_RUNS: '300', SRP_EXCHANGES: '5000' });
const data = path.join(buildFolder, 'attacked');
const card = path.join(data, 'card.json');
const tally = createTally();

const prepared = await tally.prepare(async (step) => {
  await install(step, { tools: true });
  process.env.CHROMIUM_PATH = await findChromium(step);
  process.env.PGBOUNCER_PATH = await findPgbouncer(step);
  process.env.COTURN_PATH = await findCoturn(step);
});
if (prepared) {
  await runTests(tally, 'suites on a database', ['--project', 'database', '--project', 'timed']);
  await runTests(tally, 'random exchanges', ['--project', 'unit', '--project', 'sdk', 'random-exchanges']);
  let served;
  const isServed = await tally.prepare(async () => {
    served = await serve({ data, port: await freePort() });
  });
  if (isServed) {
    await runAttacks(tally, card, ['--long']);
    await runJourneys(tally, process.env.CHROMIUM_PATH, [card], ['e2e/pages.spec.ts']);
    await served.stop();
  }
}
tally.finish();
