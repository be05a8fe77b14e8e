import path from 'node:path';
import { freePort } from '../../launcher/free-port.mjs';
import { buildFolder } from '../../launcher/root.mjs';
import { runAttacks } from './attacks.mjs';
import { runJourneys } from './journeys.mjs';
import { serve } from './serve.mjs';

/** One copy for each browser that runs journeys, so that no journey sees what another one changes. */
const folders = ['test', 'test-2'].map((name) => path.join(buildFolder, name));
const cards = folders.map((folder) => path.join(folder, 'card.json'));

/** The tag of journeys that would disturb those beside them. */
const ALONE = '@alone';
/** The tag of journeys that only `npm run prove` makes. */
const PROVE = '@prove';

/**
 * Runs the attacks on a copy that starts as every copy does, then the browser journeys, some of them on what attacks left.
 * The other copies start beside the attacks, which wait half of their time, and find built what the first one built.
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
