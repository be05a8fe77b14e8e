import path from 'node:path';
import { showTool } from '../run-command.mjs';
import { collect, readPlaywright } from './results.mjs';

/** Journeys of browsers, one for each card's copy at once. @param {string[]} [args] of Playwright, files say */
export async function runJourneys(tally, chromium, cards, args = []) {
  console.log('\nbrowser journeys');
  const run = (file) =>
    showTool('@playwright/test/cli.js', ['test', '--reporter=list,json', ...args], {
      CHROMIUM_PATH: chromium,
      CARELANE_CARD: cards.join(path.delimiter),
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    });
  tally.add(await collect('playwright.json', run, readPlaywright));
}
