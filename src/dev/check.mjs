// `npm run check`: all checks that take seconds and need no database.
import '../launcher/require-node.mjs';

const { createTally } = await import('./checks/tally.mjs');
const { install } = await import('../launcher/install.mjs');
const { checkSources } = await import('./checks/sources.mjs');
const { runTests } = await import('./checks/tests.mjs');

const tally = createTally();
if (await tally.prepare((step) => install(step, { tools: true }))) {
  await checkSources(tally);
  tally.add(await runTests('unit tests', ['--project', 'unit', '--project', 'sdk']));
}
tally.finish();
