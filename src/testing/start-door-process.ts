import { spawn } from 'node:child_process';
import { bundleProgram } from './start-service-process.ts';

const PROGRAM = 'door-process.ts';

/**
 * Starts the service's doors in a process of their own; `env` are its settings, `onLog` is given what it logs. Another
 * checkout's can be started too.
 */
export async function startDoorProcess(
  env: Record<string, string>,
  onLog: (text: string) => void = (text) => process.stderr.write(text),
  checkout?: string,
): Promise<{ url: string; stop(): Promise<void>; kill(): Promise<void> }> {
  const bundle = checkout === undefined ? await bundleProgram(PROGRAM) : null;
  const program = bundle ? ['--enable-source-maps', bundle.file] : ['--import', 'tsx', `src/testing/${PROGRAM}`];
  const child = spawn(process.execPath, program, {
    ...(checkout && { cwd: checkout }),
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => onLog(chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // It has read all of it by then, or never will.
  ended.then(() => bundle?.remove());
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it listened`)));
  });
  return {
    url,
    async stop() {
      child.stdin.end();
      await ended;
    },
    /** As `kill -9` does. */
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
