import { spawn } from 'node:child_process';
import { root } from './root.mjs';
import { Sentence } from './sentence.mjs';

const TAIL_LINES = 40;

/**
 * Runs a command to its end, quietly.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env] added to ours
 * @returns {Promise<string>} what it printed
 * @throws with the end of what it printed
 */
export function runCommand(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const options = { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] };
    const child = spawn(command, args, options);
    let printed = '';
    const collect = (chunk) => {
      printed += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const end = () => child.kill();
    process.once('exit', end);
    child.once('close', () => process.off('exit', end));
    child.once('error', reject);
    child.once('close', (code, signal) => (code === 0 ? resolve(printed) : reject(failure(printed, code ?? signal))));
  });
}

/** Runs a program of an installed package. */
export const runNode = (file, args, env) => runCommand(process.execPath, [file, ...args], env);

function failure(printed, code) {
  if (/ENOSPC|No space left on device/.test(printed))
    return new Sentence(`There is no space left on the disk of ${root}.`);
  const tail = printed.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  return new Sentence(`${tail}\n(exit code ${code})`);
}
