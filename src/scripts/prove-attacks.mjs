// The last part of `npm run prove`: the attacks in their long form, on a copy of their own.
import './start/require-node.mjs';
import path from 'node:path';

const { freePort } = await import('./free-port.mjs');
const { buildFolder } = await import('./root.mjs');
const { createTally } = await import('./checks/tally.mjs');
const { runAttacks } = await import('./checks/attacks.mjs');
const { serve } = await import('./checks/serve.mjs');

const data = path.join(buildFolder, 'attacked');
const tally = createTally();
let served;
const ready = await tally.prepare(async () => {
  served = await serve({ data, port: await freePort() });
});
if (ready) {
  await runAttacks(tally, path.join(data, 'card.json'), ['--long']);
  await served.stop();
}
tally.finish();
