import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const LIMIT_BYTES = 25_000;

const GROUPS = ['credentials', 'impersonation', 'machineToMachine', 'passwordless', 'user'];
const ONE_FLOW = (flow: string) => `
  import { ${flow}, user } from '@carelane/auth-sdk';
  globalThis.use = { ${flow}, user };
`;
const CONSUMER = `
  import sdk, { AuthError, credentials, passwordless, user, machineToMachine, type AuthStorage, type PatientAttributes, type UserPayload } from '@carelane/auth-sdk';
  const storage: AuthStorage = { getItem: async () => null, setItem: async () => {}, removeItem: async () => {} };
  credentials.configure('care_', { storage, now: () => 0, environment: 'sandbox' });
  const attributes: PatientAttributes = { first_name: 'Ada', metadata: { a: 1 } };
  export async function all(): Promise<string> {
    const waiting = await passwordless.signIn('2025550123');
    await sdk.passwordless.completeSignIn(JSON.parse(JSON.stringify(waiting)), '123456');
    await credentials.signUp('ada@example.test', 'x', attributes);
    const payload: UserPayload = await user.getPayload();
    try {
      return payload.email ?? (await machineToMachine.getAccessToken('https://example.test', 'a', 'b'));
    } catch (error) {
      return error instanceof AuthError ? error.code : 'other';
    }
  }
  // @ts-expect-error: a number is no phone number
  void passwordless.signUp(2025550123);
  // @ts-expect-error: attributes are spelled as the API spells them
  void passwordless.signUp('2025550123', { firstName: 'Ada' });
`;

/** The package as npm packs it, installed into a project that has nothing else. */
describe('the packed package', () => {
  let project: string;
  const node = (file: string, source: string) =>
    writeFile(join(project, file), source).then(() => run(process.execPath, [file], { cwd: project }));
  /** What a strict compiler says to these files. */
  const complaints = async (moduleResolution: string, files: string[]): Promise<string> => {
    const module = moduleResolution === 'bundler' ? 'esnext' : 'node16';
    const options = ['--module', module, '--moduleResolution', moduleResolution, '--target', 'es2022', '--types', ''];
    const checks = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--lib', 'es2022,dom'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const told = run(process.execPath, [tsc, ...options, ...checks, ...files], { cwd: project });
    return (await told.catch((failure: { stdout: string }) => failure)).stdout;
  };
  const bundle = async (source: string, minify = true) => {
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: project },
      bundle: true,
      minify,
      platform: 'browser',
      format: 'iife',
      write: false,
    });
    return outputFiles[0]!.text;
  };

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'auth-sdk-'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: here });
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
    await writeFile(join(project, 'package.json'), '{ "name": "empty", "private": true }');
    // Offline: the package brings all it needs.
    const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', ...quiet, `./${filename}`], { cwd: project });
  }, 60_000);
  afterAll(() => rm(project, { recursive: true, force: true }));

  test('installs nothing beside itself', async () => {
    const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@carelane/auth-sdk']);
  });

  test('works in Node as an ES module', async () => {
    const { stdout } = await node(
      'a.mjs',
      `import sdk, * as names from '@carelane/auth-sdk';
       const error = await sdk.user.getAccessToken().catch((error) => error);
       console.log(JSON.stringify([Object.keys(sdk).sort(), error instanceof names.ConfigurationError, error.code]));`,
    );
    expect(JSON.parse(stdout)).toEqual([GROUPS, true, 'not_configured']);
  });

  test('works in Node as CommonJS', async () => {
    const { stdout } = await node(
      'a.cjs',
      `const { default: sdk, machineToMachine, AuthError } = require('@carelane/auth-sdk');
       machineToMachine.getAccessToken('http://127.0.0.1:9/', 'a', 'b').catch((error) =>
         console.log(JSON.stringify([Object.keys(sdk).sort(), error instanceof AuthError, error.code])));`,
    );
    expect(JSON.parse(stdout)).toEqual([GROUPS, true, 'network']);
  });

  test.each(['passwordless', 'credentials'])(
    'a browser bundle with %s is small and has no server part',
    async (flow) => {
      const text = await bundle(ONE_FLOW(flow));
      const size = gzipSync(text).length;
      console.info(`${flow}: ${size} bytes gzip`);
      expect(size).toBeLessThanOrEqual(LIMIT_BYTES);
      expect(text).not.toMatch(/client_credentials|token-exchange|subject_token/);
      expect(text.includes('/credentials/sign_up')).toBe(true);
      expect(text.includes('password_too_common')).toBe(true);
    },
  );

  test('what needs a client secret throws in a browser, even from the Node build', async () => {
    const forced = join(project, 'node_modules/@carelane/auth-sdk/dist/esm/node.js');
    for (const from of ['@carelane/auth-sdk', forced]) {
      const source = `import { machineToMachine, impersonation } from '${from}';
        globalThis.done = Promise.all([machineToMachine.getAccessToken('u', 'a', 'b'), impersonation.signIn('e', 'u', 'a', 'b')]
          .map((call) => call.catch((error) => error.code)));`;
      const page: Record<string, unknown> = { window: {}, document: {} };
      runInNewContext(await bundle(source, false), page);
      expect(await page.done, from).toEqual(['server_only', 'server_only']);
    }
  });

  test("the README's examples are right", async () => {
    const readme = await readFile(join(here, 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, example]) => example!);
    expect(examples.length).toBeGreaterThanOrEqual(6);
    const files = await Promise.all(
      examples.map(async (example, at) => {
        const file = `readme-${at}.ts`;
        await writeFile(join(project, file), example);
        return file;
      }),
    );
    expect(await complaints('bundler', files)).toBe('');
  });

  test.each([
    ['node16', 'consumer.mts'],
    ['node16', 'consumer.cts'],
    ['bundler', 'consumer.ts'],
  ])('strict TypeScript with %s resolution accepts it from %s', async (moduleResolution, file) => {
    await writeFile(join(project, file), CONSUMER);
    expect(await complaints(moduleResolution, [file])).toBe('');
  });
});
