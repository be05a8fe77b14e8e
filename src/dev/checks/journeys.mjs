import path from 'node:path';
import { runCommand, showTool } from '../../launcher/run-command.mjs';
import { collect, readPlaywright } from './results.mjs';

/**
 * Runs the end-to-end tests in the browser, with one worker for each card's copy.
 * @param {string[]} [args] of Playwright
 * @returns {Promise<import('./results.mjs').Result>}
 */
export async function runJourneys(cards, args = []) {
  const { CHROMIUM_PATH } = process.env;
  const browser = CHROMIUM_PATH ? await runCommand(CHROMIUM_PATH, ['--version']) : 'the browser of this system';
  console.log(`\nbrowser journeys, in ${browser.trim()}`);
  const run = (file) =>
    showTool('@playwright/test/cli.js', ['test', '--reporter=list,json', ...args], {
      CARELANE_CARD: cards.join(path.delimiter),
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    });
  return collect('playwright.json', run, readPlaywright);
}
