import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../free-port.mjs';
import { buildFolder } from '../root.mjs';
import { showTool } from '../run-command.mjs';
import { runAttacks } from './attacks.mjs';
import { findChromium } from './find-chromium.mjs';
import { serve } from './serve.mjs';

const data = path.join(buildFolder, 'test');
const resultFile = path.join(buildFolder, 'playwright.json');

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
  rmSync(resultFile, { force: true });
  const env = {
    CHROMIUM_PATH: chromium,
    CARELANE_CARD: card,
    PLAYWRIGHT_JSON_OUTPUT_NAME: resultFile,
  };
  const code = await showTool('@playwright/test/cli.js', ['test', '--reporter=list,json'], env);
  await served.stop();
  tally.add(readCounts(code));
}

function readCounts(code) {
  if (!existsSync(resultFile)) return { passed: 0, failed: 1 };
  const { expected, unexpected, flaky } = JSON.parse(readFileSync(resultFile, 'utf8')).stats;
  const failed = unexpected + flaky;
  return { passed: expected, failed: code === 0 ? failed : Math.max(failed, 1) };
}
