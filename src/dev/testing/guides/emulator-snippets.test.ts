import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createStripeEmulator } from '#emulators/stripe/index.ts';
import { readGuides } from './read-guides.ts';

const hasTools = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0);

/** Runs on its own emulator: changing its clock and faults would affect every other end-to-end test. */
test.skipIf(!hasTools)('the guides’ snippets for Stripe’s clock and faults work', async () => {
  const snippets = readGuides().flatMap(({ fences }) => fences.filter(({ code }) => code.includes('"$STRIPE_')));
  expect(snippets).toHaveLength(2);
  const emulator = await createStripeEmulator({
    secretKeys: [],
    publishableKeys: [],
    webhookEndpoints: [],
    log: () => {},
  }).start();
  onTestFinished(() => emulator.stop());
  const env = {
    PATH: process.env.PATH,
    STRIPE_CLOCK: `${emulator.url}/_emulator/clock`,
    STRIPE_FAULTS: `${emulator.url}/_emulator/faults`,
  } as unknown as NodeJS.ProcessEnv;
  const runs = snippets.map(({ code }) => promisify(execFile)('bash', ['-euc', code], { env }));
  const [clock, faults] = (await Promise.all(runs)).map(({ stdout }) => stdout);
  expect(JSON.parse(clock!)).toMatchObject({ offset_ms: 86_400_000 });
  expect(faults).toContain('"kind":"timeout_after"');
  expect(emulator.world.clock.offsetMs).toBe(86_400_000);
});
