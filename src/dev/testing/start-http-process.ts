import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundleProgram } from './start-service-process.ts';

const PROGRAM = 'http-process.ts';

export type HttpProcess = {
  url: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Suspends the process with SIGSTOP until `resume`. */
  suspend(): void;
  resume(): void;
};

/** Earlier checkouts have the test program under another name. */
const EARLIER_PROGRAMS = ['src/dev/testing/door-process.ts', 'src/testing/door-process.ts'];
const programIn = (checkout: string) =>
  [`src/dev/testing/${PROGRAM}`, ...EARLIER_PROGRAMS].find((file) => existsSync(path.join(checkout, file)))!;

/**
 * Starts the service's HTTP server in a child process, also from another checkout; `env` are its settings, `onLog` gets
 * its log.
 */
export async function startHttpProcess(
  env: Record<string, string>,
  onLog: (text: string) => void = (text) => process.stderr.write(text),
  checkout?: string,
): Promise<HttpProcess> {
  const bundle = checkout === undefined ? await bundleProgram(PROGRAM) : null;
  const program = bundle ? ['--enable-source-maps', bundle.file] : ['--import', 'tsx', programIn(checkout!)];
  const child = spawn(process.execPath, program, {
    ...(checkout && { cwd: checkout }),
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => onLog(chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // By then the process has read the bundle, or never will.
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
    /** Sends SIGKILL. */
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    suspend: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  };
}
