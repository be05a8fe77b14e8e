import path from 'node:path';
import { freePort } from '../free-port.mjs';
import { buildFolder } from '../root.mjs';
import { showTool } from '../run-command.mjs';
import { runAttacks } from './attacks.mjs';
import { findChromium } from './find-chromium.mjs';
import { collect, readPlaywright } from './results.mjs';
import { serve } from './serve.mjs';

/** One for each browser that goes through journeys at once: what one changes, no other sees. */
const folders = ['test', 'test-2'].map((name) => path.join(buildFolder, name));
const cards = folders.map((folder) => path.join(folder, 'card.json'));

/** Attacks on a copy that is started as anyone starts it, then the journeys of browsers, one of them through what they left. */
export async function runServed(tally) {
  console.log('\nserved copies');
  let chromium;
  const served = [];
  const ready = await tally.prepare(async (step) => {
    chromium = await findChromium(step);
    // The first one builds what the second finds built.
    for (const data of folders) served.push(await serve({ data, port: await freePort() }));
  });
  if (ready) {
    tally.add({ passed: served.length, failed: 0 }); // the starts themselves, build included
    await runAttacks(tally, cards[0]);
    console.log('\nbrowser journeys');
    const run = (file) =>
      showTool('@playwright/test/cli.js', ['test', '--reporter=list,json'], {
        CHROMIUM_PATH: chromium,
        CARELANE_CARD: cards.join(path.delimiter),
        PLAYWRIGHT_JSON_OUTPUT_NAME: file,
      });
    tally.add(await collect('playwright.json', run, readPlaywright));
  }
  for (const { stop } of served) await stop();
}
