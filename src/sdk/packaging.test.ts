import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPILERS, packedPackage } from '../dev/testing/packed-package.ts';

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

/** The package as npm packs it, installed into an empty project. */
describe('the packed package', () => {
  let packed: Awaited<ReturnType<typeof packedPackage>>;
  beforeAll(async () => {
    packed = await packedPackage(import.meta.dirname);
  }, 60_000);
  afterAll(() => packed?.remove());

  test('installs no other packages', async () => {
    expect(await packed.installed()).toEqual(['node_modules/@carelane/auth-sdk']);
  });

  test('works in Node as an ES module', async () => {
    const stdout = await packed.node(
      'a.mjs',
      `import sdk, * as names from '@carelane/auth-sdk';
       const error = await sdk.user.getAccessToken().catch((error) => error);
       console.log(JSON.stringify([Object.keys(sdk).sort(), error instanceof names.ConfigurationError, error.code]));`,
    );
    expect(JSON.parse(stdout)).toEqual([GROUPS, true, 'not_configured']);
  });

  test('works in Node as CommonJS', async () => {
    const stdout = await packed.node(
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
      const text = await packed.bundle(ONE_FLOW(flow));
      const size = gzipSync(text).length;
      console.info(`${flow}: ${size} bytes gzip`);
      expect(size).toBeLessThanOrEqual(LIMIT_BYTES);
      expect(text).not.toMatch(/client_credentials|token-exchange|subject_token/);
      expect(text.includes('/credentials/sign_up')).toBe(true);
      expect(text.includes('password_too_common')).toBe(true);
    },
  );

  test('functions with a client secret throw in a browser, even from the Node build', async () => {
    const forced = join(packed.project, 'node_modules/@carelane/auth-sdk/dist/esm/node.js');
    for (const from of ['@carelane/auth-sdk', forced]) {
      const source = `import { machineToMachine, impersonation } from '${from}';
        globalThis.done = Promise.all([machineToMachine.getAccessToken('u', 'a', 'b'), impersonation.signIn('e', 'u', 'a', 'b')]
          .map((call) => call.catch((error) => error.code)));`;
      const page: Record<string, unknown> = { window: {}, document: {} };
      runInNewContext(await packed.bundle(source, false), page);
      expect(await page.done, from).toEqual(['server_only', 'server_only']);
    }
  });

  describe.each(COMPILERS)('strict TypeScript $version', ({ tsc }) => {
    test("compiles the README's examples", async () => {
      const examples = await packed.examples();
      expect(examples.length).toBeGreaterThanOrEqual(6);
      const files = examples.map((_, at) => `readme-${at}.ts`);
      await Promise.all(files.map((file, at) => packed.write(file, examples[at]!)));
      expect(await packed.complaints({ tsc, resolution: 'bundler', files })).toBe('');
    });

    test.each([
      ['node16', 'consumer.mts'],
      ['node16', 'consumer.cts'],
      ['bundler', 'consumer.ts'],
    ] as const)('accepts it with %s resolution from %s', async (resolution, file) => {
      await packed.write(file, CONSUMER);
      expect(await packed.complaints({ tsc, resolution, files: [file] })).toBe('');
    });
  });
});
