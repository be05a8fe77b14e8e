import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { freePort } from '#dev/testing/http-server.ts';

const run = promisify(execFile);

async function unpack(zip: Uint8Array, folder: string): Promise<void> {
  for (const [name, bytes] of Object.entries(unzipSync(zip))) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}

/**
 * Unpacks the playground's app outside of this repository, installs it from npm's registry and the running copy, checks
 * and builds it, and serves the build.
 */
export async function serveDownloadedApp(zip: Uint8Array): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carelane-downloaded-app-'));
  const project = path.join(folder, 'carelane-app');
  const remove = () => rm(folder, { recursive: true, force: true });
  const tool = (name: string, ...args: string[]) =>
    run(process.execPath, [path.join(project, 'node_modules', name), ...args], { cwd: project }).catch(
      ({ stdout, stderr }) => Promise.reject(new Error(`${name} fails on the app:\n${stdout}${stderr}`)),
    );
  try {
    await unpack(zip, folder);
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: project });
    await tool('typescript/bin/tsc');
    await tool('vite/bin/vite.js', 'build');
  } catch (error) {
    await remove();
    throw error;
  }
  const port = await freePort();
  const args = ['preview', '--host', '127.0.0.1', '--port', `${port}`, '--strictPort'];
  const vite = path.join(project, 'node_modules/vite/bin/vite.js');
  const server = spawn(process.execPath, [vite, ...args], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (text: Buffer) => text.includes(`${port}`) && resolve());
    server.once('exit', (code) => reject(new Error(`vite ended with ${code}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.kill();
      await remove();
    },
  };
}
