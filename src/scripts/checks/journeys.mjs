import path from 'node:path';
import { showTool } from '../run-command.mjs';
import { collect, readPlaywright } from './results.mjs';

/**
 * Runs the browser journeys, with one worker for each card's copy.
 * @param {string[]} [args] of Playwright
 * @returns {Promise<import('./results.mjs').Result>}
 */
export function runJourneys(cards, args = []) {
  console.log('\nbrowser journeys');
  const run = (file) =>
    showTool('@playwright/test/cli.js', ['test', '--reporter=list,json', ...args], {
      CARELANE_CARD: cards.join(path.delimiter),
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    });
  return collect('playwright.json', run, readPlaywright);
}
