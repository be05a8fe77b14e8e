import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeService, startFakeService, startReceiver } from './testing/fake-service.ts';

const run = promisify(execFile);
const packageDir = dirname(fileURLToPath(import.meta.url));

/** The package as npm packs it, installed into an empty folder. */
describe('the packed command', () => {
  let folder: string;
  let service: FakeService;
  const env = () => ({ NODE_ENV: 'test' as const, PATH: process.env.PATH ?? '', HOME: folder, ...service.env });
  const carelane = (...args: string[]) => run('npx', ['--offline', 'carelane', ...args], { cwd: folder, env: env() });

  beforeAll(async () => {
    service = await startFakeService();
    folder = await mkdtemp(join(tmpdir(), 'carelane-cli-'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: packageDir });
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
    await writeFile(join(folder, 'package.json'), '{ "name": "empty", "private": true }');
    const npmFlags = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', ...npmFlags, `./${filename}`], { cwd: folder });
  }, 60_000);
  afterAll(async () => {
    await service?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  test('installs no other packages, and is small', async () => {
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@carelane/cli']);
    const code = await readFile(join(folder, 'node_modules/@carelane/cli/dist/carelane.js'), 'utf8');
    expect(code.length).toBeLessThan(60_000);
  });

  test('prints its version and usage, and exits with 2 for an unknown command', async () => {
    const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
    expect((await carelane('--version')).stdout).toBe(`${version}\n`);
    expect((await carelane('--help')).stdout).toContain('--forward-to');
    await expect(carelane('lisn')).rejects.toMatchObject({ code: 2 });
  });

  test('forwards events until Ctrl-C, and ends cleanly', { timeout: 30_000 }, async () => {
    const receiver = await startReceiver();
    const program = join(folder, 'node_modules/.bin/carelane');
    const child = spawn(program, ['listen', '--forward-to', receiver.url, '--json'], { cwd: folder, env: env() });
    let [errorText, output] = ['', ''];
    child.stderr.on('data', (chunk) => {
      errorText += chunk;
    });
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const exited = new Promise((resolve) => child.on('exit', (code, signal) => resolve([code, signal])));
    await expect.poll(service.isWaiting, { timeout: 10_000 }).toBe(true);
    service.addEvents(2);
    await expect.poll(() => receiver.received.length).toBe(2);
    const { headers, body } = receiver.received[1]!;
    const secret = /whsec_\S+/.exec(errorText)![0];
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ sequence: 2 });
    await expect.poll(() => output.trim().split('\n').length).toBe(2);
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    expect(errorText).toContain('--after 2');
    expect(errorText + output).not.toContain('\x1b');
    await receiver.stop();
  });
});
