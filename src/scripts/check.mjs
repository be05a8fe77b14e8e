// `npm run check`: what can be told in seconds, without a database.
import './start/require-node.mjs';

const { createTally } = await import('./checks/tally.mjs');
const { checkSources } = await import('./checks/sources.mjs');
const { runTests } = await import('./checks/tests.mjs');

const tally = createTally();
await checkSources(tally);
await runTests(tally, 'unit tests', ['--project', 'unit', '--project', 'sdk']);
tally.finish();
