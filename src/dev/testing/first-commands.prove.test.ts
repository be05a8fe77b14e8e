import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../launcher/root.mjs';
import { freePort } from './http-server.ts';

const TEN_MINUTES = 600_000;

let room: string;
let clone: string;
let stop: () => Promise<void>;

/** Runs a command in the clone to its end. @returns its exit code and output */
async function run(program: string, ...args: string[]): Promise<{ code: number | null; printed: string }> {
  const child = spawn(program, args, { cwd: clone, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, printed })));
}

/** A fresh clone of the last commit, started as the README describes. */
beforeAll(async () => {
  room = mkdtempSync(path.join(tmpdir(), 'carelane-first-'));
  clone = path.join(room, 'carelane');
  execFileSync('git', ['clone', '--quiet', root, clone]);
  const child = spawn('npm', ['start', '--', '--port', `${await freePort()}`], {
    cwd: clone,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  stop = async () => {
    // Signals the whole process group: npm does not forward the signal to all its children.
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
  };
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        printed += chunk;
        if (printed.includes('is ready')) resolve();
      });
    ended.then(() => reject(new Error(printed)));
  });
}, TEN_MINUTES);
afterAll(async () => {
  await stop?.();
  rmSync(room, { recursive: true, force: true });
}, 60_000);

test.each(['npm run demo', 'npm run attack -- --only framed'])(
  '%s works after npm start',
  async (command) => {
    const { code, printed } = await run('sh', '-c', command);
    expect([code, code === 0 ? '' : printed]).toEqual([0, '']);
  },
  TEN_MINUTES,
);

test('the first request of the README reads patients and creates one', async () => {
  const [, , lines = ''] = /## A first request[\s\S]*?```(sh)\n([\s\S]*?)```/.exec(
    readFileSync(path.join(clone, 'README.md'), 'utf8'),
  )!;
  const { code, printed } = await run('sh', '-ec', lines.replaceAll('"$(card base_url)/patients"', '$& -w "\n"'));
  const [list, patient] = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(list).toBeInstanceOf(Array);
  expect(patient).toMatchObject({ first_name: 'Ada', email: 'ada@example.org' });
});
