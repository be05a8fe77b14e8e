import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulators } from './start-emulators.ts';

const keys = { secretKeys: ['sk_test_emulated'], publishableKeys: ['pk_test_emulated'] };

test('starts every provider in one process on separate ports', async () => {
  const emulators = await startEmulators({ stripe: keys });
  const { stripe, stripeJs, acuity, inbox } = emulators.urls;
  expect((await fetch(`${stripe}/v1/customers`)).status).toBe(401);
  expect(await (await fetch(stripeJs)).text()).toContain('Stripe');
  expect((await fetch(`${acuity}/me`)).status).toBe(401);
  expect((await fetch(`${inbox}/messages`)).status).toBe(200);
  await emulators.stop();
  await expect(fetch(stripe)).rejects.toThrow();
});

test('stops the started emulators when another one fails to start', async () => {
  const first = await startEmulators({ stripe: keys });
  const usedPort = Number(new URL(first.urls.inbox).port);
  const port = Number(new URL(first.urls.stripe).port);
  await first.stop();
  const occupant = await startEmulators({ stripe: keys, inbox: { port: usedPort } });
  await expect(startEmulators({ stripe: { ...keys, port }, inbox: { port: usedPort } })).rejects.toThrow('EADDRINUSE');
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  await occupant.stop();
});

test('rejects live keys', async () => {
  await expect(startEmulators({ stripe: { ...keys, secretKeys: ['sk_live_x'] } })).rejects.toThrow('sk_test_');
});

test('the process prints a ready line, exits with its launcher and saves its data', async () => {
  const data = mkdtempSync(join(tmpdir(), 'emulators-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const env = { ...process.env, STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_PUBLISHABLE_KEY: 'pk_test_a' };
  const args = ['--import', 'tsx', join(import.meta.dirname, 'main.ts'), '--data', data];
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const addresses = JSON.parse(String(line));
  expect(addresses).toMatchObject({
    ready: true,
    stripe: expect.any(String),
    acuity: expect.any(String),
    smtp: expect.any(String),
  });
  const headers = { authorization: 'Bearer sk_test_a' };
  expect((await fetch(`${addresses.stripe}/v1/customers`, { method: 'POST', headers })).status).toBe(200);
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(readdirSync(data)).toContain('stripe.json');
});
