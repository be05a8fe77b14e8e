import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { root } from '../../launcher/root.mjs';

const run = promisify(execFile);
/** The project's own compiler. */
export const PROJECTS_TSC = join(root, 'node_modules/typescript/bin/tsc');

type Compiling = {
  resolution: 'node16' | 'bundler';
  files: string[];
  tsc?: string;
  /** More options of the compiler. */
  more?: string[];
};

/** A package of the project as npm packs it, installed into a project that has nothing else. @param folder with its package.json */
export async function packedPackage(folder: string) {
  const project = await mkdtemp(join(tmpdir(), 'carelane-packed-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: folder });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "private": true }');
  // Offline: the package brings all it needs.
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quiet, `./${filename}`], { cwd: project });
  return {
    project,
    /** What the project has installed, the package with it. */
    async installed(): Promise<string[]> {
      const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')) as { packages: object };
      return Object.keys(lock.packages).filter((place) => place !== '');
    },
    write: (file: string, source: string) => writeFile(join(project, file), source),
    /** Runs a program in Node. @returns what it prints */
    async node(file: string, source: string): Promise<string> {
      await writeFile(join(project, file), source);
      return (await run(process.execPath, [file], { cwd: project })).stdout;
    },
    /** What a strict compiler says to these files. */
    async complaints({ resolution, files, tsc = PROJECTS_TSC, more = [] }: Compiling): Promise<string> {
      const module = resolution === 'bundler' ? 'esnext' : 'node16';
      const options = ['--module', module, '--moduleResolution', resolution, '--target', 'es2022'];
      const checks = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
      const libraries = ['--lib', 'es2022,dom,dom.iterable'];
      const all = [tsc, ...options, ...checks, ...libraries, ...more, ...files];
      const told = run(process.execPath, all, { cwd: project });
      return (await told.catch((failure: { stdout: string }) => failure)).stdout;
    },
    /** One script for a browser. */
    async bundle(source: string, minify = true): Promise<string> {
      const { outputFiles } = await build({
        stdin: { contents: source, resolveDir: project },
        bundle: true,
        minify,
        platform: 'browser',
        format: 'iife',
        write: false,
      });
      return outputFiles[0]!.text;
    },
    /** The examples of the package's README, as they stand there. */
    async examples(): Promise<string[]> {
      const readme = await readFile(join(folder, 'README.md'), 'utf8');
      return [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, example]) => example!);
    },
    remove: () => rm(project, { recursive: true, force: true }),
  };
}
