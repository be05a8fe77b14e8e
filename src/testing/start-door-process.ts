import { spawn } from 'node:child_process';
import path from 'node:path';

const PROGRAM = path.resolve(import.meta.dirname, 'door-process.ts');

/** Starts the service's doors in a process of their own; `env` are its settings, `onLog` is given what it logs. */
export async function startDoorProcess(
  env: Record<string, string>,
  onLog: (text: string) => void = (text) => process.stderr.write(text),
): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => onLog(chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
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
  };
}
