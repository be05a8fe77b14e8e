import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Services } from '#server/core/context.ts';
import { packInto } from '../../launcher/packages.mjs';
import { type Clinic, withClinic } from './clinic.ts';
import { serveHandlers } from './http-server.ts';
import { testServices } from './services.ts';

const run = promisify(execFile);
const FILES = ['carelane-auth-sdk.tgz', 'carelane-client.tgz'];

let clinic: Clinic;
let services: Services;
let server: { url: string; stop(): Promise<void> };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'carelane-packages-'));
  clinic = await withClinic({ env: { PACKAGES_FOLDER: path.join(folder, 'packages') } });
  ({ services } = clinic);
  server = await serveHandlers(services);
});
afterAll(async () => {
  await server?.stop();
  await clinic?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a sandbox without packed packages returns 404', async () => {
  for (const file of FILES) expect((await fetch(`${server.url}/packages/${file}`)).status).toBe(404);
});

test('a sandbox serves its packages, and npm installs them', { timeout: 240_000 }, async () => {
  await packInto(path.join(folder, 'packages'));
  const urls = FILES.map((file) => `${server.url}/packages/${file}`);
  for (const url of urls) {
    const { status, headers } = await fetch(url);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'application/gzip',
      'no-store',
    ]);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    const response = await fetch(url, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
  const project = path.join(folder, 'project');
  await run('mkdir', [project]);
  await writeFile(path.join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--cache', path.join(folder, 'cache')];
  await run('npm', ['install', ...quiet, ...urls], { cwd: project });
  const { packages } = JSON.parse(await readFile(path.join(project, 'package-lock.json'), 'utf8'));
  expect(Object.keys(packages)).toEqual(['', 'node_modules/@carelane/auth-sdk', 'node_modules/@carelane/client']);
  await writeFile(
    path.join(project, 'a.js'),
    `import { user } from '@carelane/auth-sdk';
     import { createClient, sdkSession } from '@carelane/client';
     const carelane = createClient({ baseUrl: '${server.url}/api/v1', tokens: sdkSession({ user }) });
     carelane.get('/patients/me').catch(({ code }) => console.log(code));`,
  );
  expect((await run(process.execPath, ['a.js'], { cwd: project })).stdout).toBe('not_configured\n');
});

test.each(['', 'package.json', 'carelane-cli.tgz', '..%2fpackage.json', 'carelane-client.tgz/', 'CARELANE-CLIENT.TGZ'])(
  'serves no other file: %j',
  async (name) => {
    const { status, headers } = await fetch(`${server.url}/packages/${name}`);
    expect([status, headers.get('content-type')]).toEqual([404, expect.stringContaining('application/json')]);
  },
);

test('production serves no packages, with any settings', async () => {
  const live = testServices(clinic.database, {
    ...{ CARELANE_ENV: 'production', DATABASE_TLS: 'off', PUBLIC_URL: 'https://care.example.test' },
    ...{ STRIPE_SECRET_KEY: 'sk_live_x', STRIPE_PUBLISHABLE_KEY: 'pk_live_x', STRIPE_API_URL: '', ACUITY_API_URL: '' },
    PACKAGES_FOLDER: path.join(folder, 'packages'),
  });
  const production = await serveHandlers(live);
  try {
    for (const file of FILES) expect((await fetch(`${production.url}/packages/${file}`)).status).toBe(404);
  } finally {
    await production.stop();
    await live.close();
  }
});
