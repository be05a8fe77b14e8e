import path from 'node:path';
import { freePort } from '../../launcher/free-port.mjs';
import { buildFolder } from '../../launcher/root.mjs';
import { runAttacks } from './attacks.mjs';
import { runJourneys } from './journeys.mjs';
import { serve } from './serve.mjs';

/** One copy for each browser worker, so that end-to-end tests do not see each other's changes. */
const folders = ['test', 'test-2'].map((name) => path.join(buildFolder, name));
const cards = folders.map((folder) => path.join(folder, 'card.json'));

/** The tag of end-to-end tests that would disturb concurrent ones. */
const ALONE = '@alone';
/** The tag of end-to-end tests that only `npm run prove` runs. */
const PROVE = '@prove';

/**
 * Runs the attacks on one copy, then the end-to-end tests, some of them on the copy that the attacks used. The other
 * copies start during the attacks, which are idle half of the time, and reuse the first copy's build.
 */
export async function runServed(tally) {
  console.log('\nserved copies');
  const served = [];
  const start = async (data, options) => served.push(await serve({ data, port: await freePort(), ...options }));
  const [first, ...others] = folders;
  const ready = await tally.phase('first copy', () => tally.prepare(() => start(first)));
  if (ready) {
    const rest = tally.prepare(() => Promise.all(others.map((data) => start(data, { isQuiet: true }))));
    await tally.phase('attacks', async () => tally.add(await runAttacks(cards[0])));
    if (await rest)
      await tally.phase('journeys', async () => {
        tally.add(await runJourneys(cards, ['--grep-invert', `${ALONE}|${PROVE}`]));
        tally.add(await runJourneys(cards.slice(0, 1), ['--grep', ALONE, '--grep-invert', PROVE]));
      });
    tally.add({ passed: served.length, failed: 0 }); // the starts themselves, build included
  }
  for (const { stop } of served) await stop();
}
