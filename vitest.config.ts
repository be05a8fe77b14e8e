import { defineConfig } from 'vitest/config';

const DATABASE_TESTS = 'src/**/*.db.test.ts';
/** These need a Chromium: CHROMIUM_PATH, else where Debian puts it. */
const BROWSER_TESTS = 'src/**/*.browser.test.ts';

export default defineConfig({
  test: {
    // One a core would be one fewer than there are: the suites wait for the database and for each other's locks half their time.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: [DATABASE_TESTS, BROWSER_TESTS],
          testTimeout: 20_000,
        },
      },
      { test: { name: 'browser', include: [BROWSER_TESTS], testTimeout: 30_000 } },
      {
        test: {
          name: 'database',
          include: [DATABASE_TESTS],
          globalSetup: 'src/testing/database-server.ts',
          setupFiles: 'src/testing/stretch-once.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
