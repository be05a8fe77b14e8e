import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../launcher/root.mjs';
import { UserError } from '../../launcher/user-error.mjs';

/**
 * Starts a new sandbox with `npm start`'s own script, independent of this machine's settings.
 * @param {{ data: string, port: number, isQuiet?: boolean }} options
 * @returns {Promise<{ stop: () => Promise<void> }>} when its card is printed
 */
export async function serve({ data, port, isQuiet = false }) {
  const args = ['src/launcher/start.mjs', '--port', `${port}`, '--data', data, '--reset', '--no-env-file'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: withoutSettings(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const end = () => child.kill();
  process.once('exit', end);
  await new Promise((resolve, reject) => {
    let isReady = false;
    const show = (chunk) => !isQuiet && process.stdout.write(chunk);
    child.stdout.on('data', (chunk) => {
      if (!isReady) show(chunk);
      if (!String(chunk).includes('is ready')) return;
      isReady = true;
      resolve();
    });
    exited.then(() => reject(new UserError('The copy for attacks and browser journeys did not start.')));
  });
  return {
    async stop() {
      process.off('exit', end);
      end();
      await exited;
    },
  };
}

/** The environment without the deployment's settings, which `.env.example` lists. */
function withoutSettings() {
  const names = [...readFileSync(path.join(root, '.env.example'), 'utf8').matchAll(/^#?([A-Z_]+)=/gm)].map(
    ([, name]) => name,
  );
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.includes(name)));
}
