import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { freePort } from '#dev/testing/http-server.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '..');
const SDK = '@carelane/auth-sdk';

async function unpack(zip: Uint8Array, folder: string): Promise<void> {
  for (const [name, bytes] of Object.entries(unzipSync(zip))) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}

/**
 * Installs what package.json names and nothing else, without a registry: installed packages in exactly the named
 * versions, and the SDK as npm packs it.
 */
async function install(project: string): Promise<void> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(path.join(project, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
    const target = path.join(project, 'node_modules', name);
    await mkdir(path.dirname(target), { recursive: true });
    if (name === SDK) continue;
    const source = path.join(ROOT, 'node_modules', name);
    const installed = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8')).version;
    if (installed !== version) throw new Error(`${name} is ${installed} here, and ${version} in the app`);
    await symlink(source, target);
  }
  const packed = await run('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: path.join(ROOT, 'src/sdk'),
  });
  const [{ filename }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n'))) as [{ filename: string }];
  const target = path.join(project, 'node_modules', SDK);
  await mkdir(target);
  await run('tar', ['-xzf', path.join(project, filename), '-C', target, '--strip-components=1']);
}

/** Unpacks the playground's app outside of this repository, installs, checks and builds it, and serves the build. */
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
    await install(project);
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
