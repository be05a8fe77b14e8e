import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { root } from './root.mjs';
import { UserError } from './user-error.mjs';

/** More than the service needs to stop after `DRAIN_MS`, during which it still accepts requests. */
const PATIENCE_MS = 20_000;

/**
 * Starts one of our processes and waits for its ready line, a JSON object with `ready: true`. Its standard input is a
 * pipe that closes when this process ends for any reason, which ends it too. It runs in its own session, so that the
 * terminal's Ctrl-C does not reach it and processes stop in order.
 * @param {{ name: string, file: string, args?: string[], env: Record<string, string>, log?: string }} options `log` is
 * a file for its output; default the terminal
 */
export async function startProcess({ name, file, args = [], env, log }) {
  const child = spawn(process.execPath, ['--enable-source-maps', file, ...args], {
    cwd: root,
    env: { ...env, CARELANE_LAUNCHED: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdin.on('error', () => {});
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  const output = log ? createWriteStream(log, { mode: 0o600 }) : process.stdout;
  output.on('error', () => {});
  let errorOutput = '';
  child.stderr.on('data', (chunk) => {
    errorOutput = `${errorOutput}${chunk}`.slice(-4000);
    output.write(chunk);
  });
  const ready = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = readyMessage(line);
      if (message) resolve(message);
      else output.write(`${line}\n`);
    });
    child.once('error', reject);
    exited.then((code) => reject(new UserError((log && errorOutput.trim()) || `The ${name} ended at once (${code}).`)));
  });
  return {
    name,
    ready,
    exited,
    async stop() {
      child.kill('SIGTERM');
      const last = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS + Number(env.DRAIN_MS || 0));
      await exited;
      clearTimeout(last);
    },
  };
}

function readyMessage(line) {
  if (!line.startsWith('{')) return null;
  try {
    const message = JSON.parse(line);
    return message.ready === true ? message : null;
  } catch {
    return null;
  }
}
