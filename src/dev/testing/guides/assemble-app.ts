import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../launcher/root.mjs';
import { type Fence, fillIn, type Guide, type Values } from './read-guides.ts';

const run = promisify(execFile);
const modules = path.join(root, 'node_modules');

const isTyped = ({ language }: Fence) => language === 'ts' || language === 'tsx';

/**
 * Creates a folder with only what the guides contain: the files that they name, and every other TypeScript snippet
 * under its own name, so that it is compiled too.
 * @param packages arguments of the guides' `npm install`
 */
export async function assembleApp(guides: Guide[], values: Values, packages: string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carelane-docs-'));
  await writeFile(path.join(folder, 'package.json'), '{ "name": "my-app", "private": true, "type": "module" }\n');
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  await run('npm', ['install', ...quiet, ...packages], { cwd: folder });
  for (const { slug, fences } of guides)
    for (const [at, fence] of fences.entries()) {
      const file = fence.file ?? (isTyped(fence) ? `app/snippets/${slug}-${at}.${fence.language}` : null);
      if (file) await write(path.join(folder, file), fillIn(fence.code, values));
    }
  await linkInstalled(folder, guides);
  return folder;
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/**
 * Links the other packages that the guides install from the project's node_modules, so that nothing is downloaded.
 * @throws when a guide names another version than the project's
 */
async function linkInstalled(folder: string, guides: Guide[]): Promise<void> {
  const lines = guides.flatMap(({ fences }) => fences.flatMap(({ code }) => code.match(/^npm install .+$/gm) ?? []));
  const wanted = new Set(
    lines.flatMap((line) => line.split(' ').slice(2)).filter((name) => /^@?[a-z][\w./-]*(@[\d.]+)?$/.test(name)),
  );
  const to = path.join(folder, 'node_modules');
  for (const one of wanted) {
    const [, name = '', version] = /^(@?[^@]+)(?:@(.+))?$/.exec(one) ?? [];
    const { version: ours } = JSON.parse(await readFile(path.join(modules, name, 'package.json'), 'utf8'));
    if (version && version !== ours) throw new Error(`A guide installs ${one}, and ${ours} is what is tried`);
    await mkdir(path.dirname(path.join(to, name)), { recursive: true });
    await symlink(path.join(modules, name), path.join(to, name));
  }
  await mkdir(path.join(to, '.bin'), { recursive: true });
  for (const name of ['esbuild', 'tsx', 'tsc'])
    await symlink(path.join(modules, '.bin', name), path.join(to, '.bin', name));
}

/** Compiles the app strictly. @returns the compiler's output, empty on success */
export async function compileErrors(folder: string): Promise<string> {
  const output = run('npx', ['--no', 'tsc'], { cwd: folder });
  return (await output.catch((failure: { stdout: string }) => failure)).stdout;
}
