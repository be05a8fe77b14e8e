import path from 'node:path';
import { freePort } from '../free-port.mjs';
import { buildFolder } from '../root.mjs';
import { showTool } from '../run-command.mjs';
import { runAttacks } from './attacks.mjs';
import { findChromium } from './find-chromium.mjs';
import { collect, readPlaywright } from './results.mjs';
import { serve } from './serve.mjs';

const data = path.join(buildFolder, 'test');
const card = path.join(data, 'card.json');

/** Attacks on a copy that is started as anyone starts it, then the journeys of a browser through what they left. */
export async function runServed(tally) {
  console.log('\na served copy');
  let chromium;
  let served;
  const ready = await tally.prepare(async (step) => {
    chromium = await findChromium(step);
    served = await serve({ data, port: await freePort() });
  });
  if (!ready) return;
  tally.add({ passed: 1, failed: 0 }); // the start itself, build included
  await runAttacks(tally, card);
  console.log('\nbrowser journeys');
  const run = (file) =>
    showTool('@playwright/test/cli.js', ['test', '--reporter=list,json'], {
      CHROMIUM_PATH: chromium,
      CARELANE_CARD: card,
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    });
  tally.add(await collect('playwright.json', run, readPlaywright));
  await served.stop();
}
