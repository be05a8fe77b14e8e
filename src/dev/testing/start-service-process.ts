import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleOptions } from '../../launcher/build.mjs';

export type ServiceProcess = {
  url: string;
  pid: number;
  /** Resolves with the exit code or the signal. */
  ended: Promise<number | string>;
  /** Everything that it has logged. */
  log(): string;
  kill(signal: NodeJS.Signals): void;
};

/**
 * Bundles a test program into one file inside the project, so that it finds its packages; it starts in half a second.
 */
export async function bundleProgram(program: string): Promise<{ file: string; remove(): Promise<void> }> {
  const { outdir: _, entryPoints: __, ...options } = bundleOptions;
  const dir = await mkdtemp(path.resolve(import.meta.dirname, '../../../node_modules/.cache-service-'));
  const file = path.join(dir, 'program.mjs');
  await build({ ...(options as BuildOptions), entryPoints: [path.join(import.meta.dirname, program)], outfile: file });
  return { file, remove: () => rm(dir, { recursive: true }) };
}

/**
 * Bundles a program once (the service by default) for tests that start it repeatedly. `stop` kills running processes.
 */
export async function serviceProgram(program = 'service-process.ts') {
  const { file, remove } = await bundleProgram(program);
  const children = new Set<ChildProcess>();
  return {
    async start(env: Record<string, string>): Promise<ServiceProcess> {
      const child = spawn(process.execPath, ['--enable-source-maps', file], {
        env: { ...process.env, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      children.add(child);
      let output = '';
      child.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      child.stdin.on('error', () => {});
      const ended = new Promise<number | string>((resolve) =>
        child.once('exit', (code, signal) => {
          children.delete(child);
          resolve(code ?? signal ?? 'unknown');
        }),
      );
      const url = await new Promise<string>((resolve, reject) => {
        child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
        ended.then((code) => reject(new Error(`the process ended with ${code} before it was ready: ${output}`)));
      });
      return { url, pid: child.pid!, ended, log: () => output, kill: (signal) => void child.kill(signal) };
    },
    async stop(): Promise<void> {
      for (const child of children) child.kill('SIGKILL');
      await remove();
    },
  };
}
