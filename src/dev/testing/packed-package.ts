import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { root } from '../../launcher/root.mjs';

const run = promisify(execFile);
const generator = createRequire(join(root, 'src/client/generator/'));
/** The project's own TypeScript compiler. */
const PROJECTS_TSC = join(root, 'node_modules/typescript/bin/tsc');
/** The compilers that accept the packages. The older one takes ten seconds of a processor: `npm run prove` has it too. */
export const COMPILERS = [
  { version: '7', tsc: PROJECTS_TSC },
  // The last one that is written in JavaScript.
  { version: '5.9', tsc: join(dirname(generator.resolve('typescript/package.json')), 'bin/tsc') },
].filter(({ version }) => version !== '5.9' || process.env.PROVE);

type Compiling = {
  resolution: 'node16' | 'bundler';
  files: string[];
  tsc?: string;
  /** Additional compiler options. */
  more?: string[];
};

/**
 * Packs a package of the project with npm and installs it into an empty project. @param folder with its package.json
 */
export async function packedPackage(folder: string) {
  const project = await mkdtemp(join(tmpdir(), 'carelane-packed-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: folder });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "private": true }');
  // Offline, because the package must not need any other.
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quiet, `./${filename}`], { cwd: project });
  return {
    project,
    /** The paths of the installed packages. */
    async installed(): Promise<string[]> {
      const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')) as { packages: object };
      return Object.keys(lock.packages).filter((place) => place !== '');
    },
    write: (file: string, source: string) => writeFile(join(project, file), source),
    /** Runs a program in Node. @returns its output */
    async node(file: string, source: string): Promise<string> {
      await writeFile(join(project, file), source);
      return (await run(process.execPath, [file], { cwd: project })).stdout;
    },
    /** Compiles these files strictly. @returns the compiler's output, empty on success */
    async complaints({ resolution, files, tsc = PROJECTS_TSC, more = [] }: Compiling): Promise<string> {
      const module = resolution === 'bundler' ? 'esnext' : 'node16';
      const options = ['--module', module, '--moduleResolution', resolution, '--target', 'es2022'];
      const checks = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
      const libraries = ['--lib', 'es2022,dom,dom.iterable'];
      const all = [tsc, ...options, ...checks, ...libraries, ...more, ...files];
      const output = run(process.execPath, all, { cwd: project });
      return (await output.catch((failure: { stdout: string }) => failure)).stdout;
    },
    /** Bundles a script for browsers. */
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
    /** The TypeScript examples in the package's README. */
    async examples(): Promise<string[]> {
      const readme = await readFile(join(folder, 'README.md'), 'utf8');
      return [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, example]) => example!);
    },
    remove: () => rm(project, { recursive: true, force: true }),
  };
}
