import { defineConfig } from '@playwright/test';
import { readCard } from './e2e/card.ts';

/** Journeys through a served copy: the one whose card CARELANE_CARD names, else the one of `.run`. */
export default defineConfig({
  testDir: 'e2e',
  workers: 1,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    baseURL: readCard().portal_url,
    locale: 'en-US',
    timezoneId: 'America/New_York',
    colorScheme: 'light',
    viewport: { width: 1280, height: 800 },
    actionTimeout: 15_000,
    trace: 'retain-on-failure',
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
