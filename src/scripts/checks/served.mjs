import path from 'node:path';
import { freePort } from '../free-port.mjs';
import { buildFolder } from '../root.mjs';
import { runAttacks } from './attacks.mjs';
import { findChromium } from './find-chromium.mjs';
import { runJourneys } from './journeys.mjs';
import { serve } from './serve.mjs';

/** One for each browser that goes through journeys at once: what one changes, no other sees. */
const folders = ['test', 'test-2'].map((name) => path.join(buildFolder, name));
const cards = folders.map((folder) => path.join(folder, 'card.json'));

/** The tag of journeys that would disturb those beside them. */
const ALONE = '@alone';

/** Attacks on a copy that is started as anyone starts it, then the journeys of browsers, one of them through what they left. */
export async function runServed(tally) {
  console.log('\nserved copies');
  let chromium;
  const served = [];
  const ready = await tally.prepare(async (step) => {
    chromium = await findChromium(step);
    const [first, ...others] = folders;
    served.push(await serve({ data: first, port: await freePort() }));
    // They find built what the first one built.
    served.push(...(await Promise.all(others.map(async (data) => serve({ data, port: await freePort() })))));
  });
  if (ready) {
    tally.add({ passed: served.length, failed: 0 }); // the starts themselves, build included
    await runAttacks(tally, cards[0]);
    await runJourneys(tally, chromium, cards, ['--grep-invert', ALONE]);
    await runJourneys(tally, chromium, cards.slice(0, 1), ['--grep', ALONE]);
  }
  for (const { stop } of served) await stop();
}
