import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rollSecret } from '#server/webhooks/change-endpoint.ts';
import { listDeliveries } from '#server/webhooks/list-endpoints.ts';
import { replayDelivery, testEndpoint } from '#server/webhooks/replay.ts';
import { receiverCode } from '#web/portal/webhooks/receiver-code.ts';
import { withClinic } from './clinic.ts';
import { freePort } from './http-server.ts';
import { type WebhookSetup, withWebhooks } from './webhook-setup.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const RUN = { node: process.execPath, python: 'python3' };
const SOON = { timeout: 15_000, interval: 50 };

let setup: WebhookSetup;
let folder: string;
const running: ChildProcess[] = [];
beforeAll(async () => {
  setup = await withWebhooks(await withClinic({ clock: true }));
  folder = mkdtempSync(path.join(tmpdir(), 'carelane-receiver-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await setup?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

/** Runs a receiver as a reader who copied it does. */
async function run(language: 'node' | 'python', url: string, secret: string) {
  const { file, code } = receiverCode(url).find(({ value }) => value === language)!;
  const program = path.join(folder, file);
  writeFileSync(program, code);
  const env = { PATH: process.env.PATH, CARELANE_WEBHOOK_SECRET: secret, PORT: new URL(url).port };
  const child = spawn(RUN[language], [program], { cwd: folder, env: env as unknown as NodeJS.ProcessEnv });
  running.push(child);
  const lines: string[] = [];
  child.stdout.on('data', (data) => lines.push(...String(data).trim().split('\n')));
  for (let n = 0; n < 200; n += 1) {
    if (
      await fetch(url, { method: 'POST', body: '{}' }).then(
        ({ status }) => status === 401,
        () => false,
      )
    )
      break;
    await pause(50);
  }
  return lines;
}

describe.each(['node', 'python'] as const)('the receiver in %s', (language) => {
  test.skipIf(!isThere(RUN[language], '--version'))(
    'accepts each event once with the old and the new secret, and rejects forged requests',
    async () => {
      const { recordEvent, endpoint, admin } = await setup.tenant();
      const url = `http://127.0.0.1:${await freePort()}/hooks/o'brien?of=a`;
      const { id, secret } = await endpoint(url);
      const lines = await run(language, url, secret);
      await recordEvent('patient.created', 'a');
      await recordEvent('patient.updated', 'a');
      await testEndpoint(admin, { id });
      const arrived = async () => (await listDeliveries(admin, { id, state: 'delivered' })).items;
      await expect.poll(async () => (await arrived()).length, SOON).toBe(3);
      // Signed with both secrets; the receiver knows the old one.
      await rollSecret(admin, { id });
      await recordEvent('appointment.scheduled', 'b');
      await replayDelivery(admin, { id, delivery_id: (await arrived()).find(({ sequence }) => sequence === 1)!.id });
      await expect.poll(async () => (await arrived()).length, SOON).toBe(5);
      expect((await arrived()).map(({ last_status }) => last_status)).toEqual([204, 204, 204, 204, 204]);
      await expect.poll(() => lines, SOON).toHaveLength(3);
      expect(lines).toEqual(['patient.created a', 'patient.updated a', 'appointment.scheduled b']);

      const post = (headers: Record<string, string>) =>
        fetch(url, { method: 'POST', headers, body: '{"id":"x","type":"patient.created"}' }).then(
          ({ status }) => status,
        );
      const now = String(Math.floor(Date.now() / 1000));
      expect(await post({})).toBe(401);
      const forged = { 'webhook-id': 'x', 'webhook-timestamp': now, 'webhook-signature': 'v1,AAAA' };
      expect(await post(forged)).toBe(401);
      expect(await post({ ...forged, 'webhook-timestamp': '²' })).toBe(401);
      expect(lines).toHaveLength(3);
    },
  );

  const tools = isThere('bash', '-c', 'command -v curl && command -v openssl && command -v od && command -v base64');
  test.skipIf(!tools || !isThere(RUN[language], '--version'))('is verified by the curl commands', async () => {
    const { endpoint } = await setup.tenant();
    const url = `http://127.0.0.1:${await freePort()}/o'brien?a=$HOME&b=\`id\``;
    const created = await endpoint(url);
    await run(language, created.url, created.secret);
    const { code } = receiverCode(created.url)[0]!;
    const env = { PATH: process.env.PATH!, CARELANE_WEBHOOK_SECRET: created.secret };
    const output = execFileSync('sh', ['-c', code], { env: env as unknown as NodeJS.ProcessEnv, encoding: 'utf8' });
    expect(output).toBe('unsigned: 401\nsigned: 204\n');
  });
});

test('no snippet contains a secret, and each contains the URL', () => {
  for (const { code } of receiverCode('https://hooks.example.test/a')) {
    expect(code).toContain('https://hooks.example.test/a');
    expect(code).not.toMatch(/whsec_[A-Za-z0-9+/]{8}/);
  }
});
