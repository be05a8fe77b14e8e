import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const LIGHT_SCRYPT = path.resolve(import.meta.dirname, 'src/dev/testing/light-scrypt.ts');
const LIGHT_ARGON2 = path.resolve(import.meta.dirname, 'src/dev/testing/light-argon2.ts');
const DATABASE_TESTS = 'src/**/*.db.test.ts';
/** Tests that assert durations: `npm run prove` runs them after all others, two at a time. */
const TIMED_TESTS = 'src/**/*.timed.db.test.ts';
/** Tests that replace modules or inspect all handles of their process, and so share neither with other files. */
const ISOLATED_TESTS = 'src/**/*.isolated{,.db}.test.ts';
/** Tests that need Chromium, and one of them coturn: CHROMIUM_PATH and COTURN_PATH, or Debian's default paths. */
const BROWSER_TESTS = 'src/**/*.browser.test.ts';

/** Each suite of the SDK gets modules of its own, because the SDK stores its configuration in a module. */
const SDK_TESTS = 'src/sdk/**/*.test.ts';

/** Long forms of other tests; only `npm run prove` runs them. */
const PROVE_TESTS = 'src/**/*.prove.*';
const LEFT_OUT = ['**/node_modules/**', ...(process.env.PROVE ? [] : [PROVE_TESTS])];
const LATER = process.env.PROVE ? [TIMED_TESTS] : [];

/** A larger young generation reduces copying of objects that live as long as a request. */
const execArgv = ['--max-semi-space-size=64'];

/** A poll ends as soon as its condition holds; the timeout only bounds a failure. Vitest's default is one second. */
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
    // Twice the number of cores: the suites wait for the database, clocks and processes half of their time.
    maxWorkers: availableParallelism() * 2,
    projects: [
      {
        test: {
          name: 'unit',
          execArgv,
          // No module has state (module-state.test.ts), so that suites can share loaded modules.
          isolate: false,
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: [DATABASE_TESTS, BROWSER_TESTS, SDK_TESTS, ISOLATED_TESTS, ...LEFT_OUT],
          testTimeout: 60_000,
          expect: expectOptions,
        },
      },
      {
        resolve: FOR_SPEED.resolve,
        test: {
          name: 'sdk',
          execArgv,
          isolate: false,
          include: [SDK_TESTS],
          exclude: LEFT_OUT,
          setupFiles: ['src/dev/testing/reset-modules.ts', ...FOR_SPEED.setupFiles],
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
