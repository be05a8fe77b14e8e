import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const LIGHT_SCRYPT = path.resolve(import.meta.dirname, 'src/dev/testing/light-scrypt.ts');
const LIGHT_ARGON2 = path.resolve(import.meta.dirname, 'src/dev/testing/light-argon2.ts');
const DATABASE_TESTS = 'src/**/*.db.test.ts';
/** What these promise is a time, which `npm run prove` holds them to: there they run after all others, two at once. */
const TIMED_TESTS = 'src/**/*.timed.db.test.ts';
/** These look at all handles of their process, which is theirs alone. */
const ISOLATED_TESTS = 'src/**/*.isolated.db.test.ts';
/** These need a Chromium, and one of them coturn: CHROMIUM_PATH and COTURN_PATH, else where Debian puts them. */
const BROWSER_TESTS = 'src/**/*.browser.test.ts';

/** The SDK is one for its page: what it was configured with stands in a module. */
const SDK_TESTS = 'src/sdk/**/*.test.ts';

/** Long forms of what other suites show in short; only `npm run prove` runs them. */
const PROVE_TESTS = 'src/**/*.prove.*';
const LEFT_OUT = ['**/node_modules/**', ...(process.env.PROVE ? [] : [PROVE_TESTS])];
const LATER = process.env.PROVE ? [TIMED_TESTS] : [];

/** A larger young generation: less copying of what lives as long as a request. */
const execArgv = ['--max-semi-space-size=64'];

/** A poll ends as soon as its condition holds; the limit only bounds a failure. Vitest's own is one second. */
const expectOptions = { poll: { timeout: 15_000, interval: 25 } };

/** Tests use cheap scrypt and argon2 parameters and threads of full priority; `npm run prove` uses the production ones. */
const FOR_SPEED = process.env.PROVE
  ? { resolve: {}, setupFiles: [] }
  : {
      resolve: { alias: { '@noble/hashes/scrypt.js': LIGHT_SCRYPT, '@node-rs/argon2': LIGHT_ARGON2 } },
      setupFiles: ['src/dev/testing/stretch-lightly.ts', 'src/dev/testing/equal-priority.ts'],
    };

const onDatabase = (project: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  resolve: FOR_SPEED.resolve,
  test: {
    execArgv,
    isolate: false,
    globalSetup: 'src/dev/testing/database-server.ts',
    setupFiles: FOR_SPEED.setupFiles,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: expectOptions,
    ...project,
  },
});

export default defineConfig({
  test: {
    // Twice as many as there are cores: the suites wait for the database, clocks and processes half their time.
    maxWorkers: availableParallelism() * 2,
    projects: [
      {
        test: {
          name: 'unit',
          execArgv,
          // No module keeps state (module-state.test.ts), so that what one suite has loaded may serve the next.
          isolate: false,
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: [DATABASE_TESTS, BROWSER_TESTS, SDK_TESTS, ...LEFT_OUT],
          testTimeout: 60_000,
          expect: expectOptions,
        },
      },
      {
        resolve: FOR_SPEED.resolve,
        test: {
          name: 'sdk',
          execArgv,
          include: [SDK_TESTS],
          exclude: LEFT_OUT,
          setupFiles: FOR_SPEED.setupFiles,
          testTimeout: 60_000,
          expect: expectOptions,
        },
      },
      { test: { name: 'browser', include: [BROWSER_TESTS], testTimeout: 60_000, expect: expectOptions } },
      onDatabase({ name: 'database', include: [DATABASE_TESTS], exclude: [ISOLATED_TESTS, ...LATER, ...LEFT_OUT] }),
      onDatabase({ name: 'isolated', include: [ISOLATED_TESTS], isolate: true }),
      ...LATER.map((include) =>
        onDatabase({
          name: 'timed',
          include: [include],
          exclude: LEFT_OUT,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        }),
      ),
    ],
  },
});
