import { defineConfig } from '@playwright/test';
import { COPIES, readCard } from './e2e/card.ts';

/** Journeys through served copies: those whose cards CARELANE_CARD names, each for one worker, else the one of `.run`. */
export default defineConfig({
  testDir: 'e2e',
  workers: COPIES,
  forbidOnly: true,
  // No promise of speed: machines that are shared stand still for seconds at a time.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    baseURL: readCard().portal_url,
    // What a worker answers, no journey could hold up or change; the one about it lets it in.
    serviceWorkers: 'block',
    locale: 'en-US',
    timezoneId: 'America/New_York',
    colorScheme: 'light',
    viewport: { width: 1280, height: 800 },
    // What slides and fades is drawn on the processor here, and a press waits until it stands still.
    contextOptions: { reducedMotion: 'reduce' },
    actionTimeout: 20_000,
    // A trace films every page, which costs a run as much again; what failed is told with the page as it stood.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      // Nothing but loopback: Chromium's own errands are switched off too.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
