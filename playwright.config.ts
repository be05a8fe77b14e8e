import { defineConfig } from '@playwright/test';
import { COPIES, readCard } from './e2e/card.ts';

/** Runs on served copies: one worker for each card in CARELANE_CARD, by default the one in `.run`. */
export default defineConfig({
  testDir: 'e2e',
  workers: COPIES,
  forbidOnly: true,
  // Only bounds failures: shared machines can stall for seconds.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    baseURL: readCard().portal_url,
    // Tests cannot intercept a service worker's responses; the test of the service worker allows it.
    serviceWorkers: 'block',
    locale: 'en-US',
    timezoneId: 'America/New_York',
    colorScheme: 'light',
    viewport: { width: 1280, height: 800 },
    // Animations are rendered on the CPU here, and clicks wait until an element stops moving.
    contextOptions: { reducedMotion: 'reduce' },
    actionTimeout: 20_000,
    // A trace records every page, which doubles the duration of a run; a failure reports the page's state anyway.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      // Only loopback traffic: Chromium's background requests are disabled too.
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
