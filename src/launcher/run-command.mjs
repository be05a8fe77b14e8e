import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from './root.mjs';
import { UserError } from './user-error.mjs';

const TAIL_LINES = 60;

/**
 * Runs a command without showing its output; it ends with this process.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env] added to this process's environment
 * @returns {Promise<string>} its output
 * @throws {UserError} the end of its output
 */
export async function runCommand(command, args, env) {
  let output = '';
  const collect = (chunk) => {
    output += chunk;
  };
  const code = await spawnToEnd(command, args, env, ['ignore', 'pipe', 'pipe'], (child) => {
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
  });
  if (code === 0) return output;
  if (/ENOSPC|No space left on device/.test(output))
    throw new UserError(`There is no space left on the disk of ${root}.`);
  throw new UserError(`${output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n')}\n(exit code ${code})`);
}

/** Runs a Node program without showing its output. */
export const runNode = (file, args, env) => runCommand(process.execPath, [file, ...args], env);

/** Runs npm without showing its output: the npm that runs this process, if any. */
export function runNpm(args) {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? runNode(npm, args) : runCommand('npm', args);
}

const toolFile = (name) => path.join(root, 'node_modules', name);

/**
 * Runs a program of an installed package without showing its output.
 * @param {string} name path in node_modules
 */
export const runTool = (name, args, env) => runNode(toolFile(name), args, env);

/**
 * Runs a program of an installed package and shows its output.
 * @returns {Promise<number | string>} its exit code, or the signal that ended it
 */
export const showTool = (name, args, env) => spawnToEnd(process.execPath, [toolFile(name), ...args], env, 'inherit');

function spawnToEnd(command, args, env, stdio, onSpawn = () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio });
    const kill = () => child.kill();
    process.once('exit', kill);
    onSpawn(child);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('exit', kill);
      resolve(code ?? signal);
    });
  });
}
