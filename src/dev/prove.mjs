// `npm run prove`: the long form of `npm test`, part by part, continuing after a failure.
import '../launcher/require-node.mjs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { freePort } = await import('../launcher/free-port.mjs');
const { buildFolder } = await import('../launcher/root.mjs');
const { createTally } = await import('./checks/tally.mjs');
const { generateClient, generateClientTypes } = await import('../launcher/build.mjs');
const { install } = await import('../launcher/install.mjs');
const { findPrograms, PROVE_PROGRAMS } = await import('./checks/programs.mjs');
const { runTests } = await import('./checks/tests.mjs');
const { runAttacks } = await import('./checks/attacks.mjs');
const { runJourneys } = await import('./checks/journeys.mjs');
const { serve } = await import('./checks/serve.mjs');

const { SEED = String(Date.now() % 2 ** 31) } = process.env;
Object.assign(process.env, { SEED, PROVE: '1', TEST_ORDERS: '120', FUZZ_RUNS: '300', SRP_EXCHANGES: '5000' });
console.log(`SEED=${SEED}`);
const data = path.join(buildFolder, 'attacked');
const card = path.join(data, 'card.json');

const PARTS = {
  unit: () => runTests('unit tests', ['--project', 'unit', '--project', 'sdk', '--project', 'browser']),
  database: () =>
    runTests('suites on a database', ['--project', 'database', '--project', 'isolated', '--project', 'timed']),
  attacks: () => onCopy(() => runAttacks(card, ['--long'])),
  journeys: () => onCopy(() => runJourneys([card])),
};
const { values } = parseArgs({ options: { part: { type: 'string', multiple: true } } });
const unknown = values.part?.find((name) => !(name in PARTS));
if (unknown) {
  console.error(`There is no part ${unknown}. Parts: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(1);
}

const tally = createTally();
const prepared = await tally.prepare(async (step) => {
  await install(step, { tools: true });
  await findPrograms(step, PROVE_PROGRAMS);
  await generateClient(step);
  await generateClientTypes(step);
});
if (prepared)
  for (const name of values.part ?? Object.keys(PARTS)) await tally.prepare(async () => tally.add(await PARTS[name]()));
tally.finish();

async function onCopy(run) {
  const copy = await serve({ data, port: await freePort() });
  try {
    return await run();
  } finally {
    await copy.stop();
  }
}
