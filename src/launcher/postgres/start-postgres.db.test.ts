import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startPostgres } from './start-postgres.mjs';
import { withClient } from './with-client.mjs';

const MODULE = pathToFileURL(path.join(import.meta.dirname, 'start-postgres.mjs')).href;
const password = 'only-for-this-test';

describe('the embedded PostgreSQL', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'carelane-postgres-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const start = ({ folder = dir, durable = false } = {}) => startPostgres({ dir: folder, password, durable });
  const serverPid = () => Number.parseInt(readFileSync(path.join(dir, 'data/postmaster.pid'), 'utf8'), 10);
  const query = (url: string, sql: string) => withClient(url, async (client) => (await client.query(sql)).rows);

  /** A launcher in a separate process, which can be killed. */
  async function startElsewhere(): Promise<ChildProcess> {
    const program = `import { startPostgres } from '${MODULE}';
      await startPostgres(${JSON.stringify({ dir, password, durable: false })});
      console.log('started'); setInterval(() => {}, 1000);`;
    const launcher = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(launcher.stdout, 'data');
    return launcher;
  }

  it('preserves its data across starts, protected by its password', async () => {
    const first = await start();
    await query(first.url('postgres'), 'CREATE TABLE kept (id int)');
    await expect(query(first.url('postgres').replace(password, 'guess'), 'SELECT 1')).rejects.toThrow('password');
    await first.stop();
    const second = await start();
    expect(await query(second.url('postgres'), 'TABLE kept')).toEqual([]);
    await second.stop();
    expect(statSync(path.join(dir, 'data')).mode & 0o077).toBe(0);
    expect(existsSync(path.join(dir, 'password'))).toBe(false);
  });

  it('stops when its launcher is killed, and starts again', async () => {
    const launcher = await startElsewhere();
    const pid = serverPid();
    launcher.kill('SIGKILL');
    const next = await start();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await next.stop();
  });

  it('recovers after SIGKILL', async () => {
    const first = await start({ durable: true });
    await query(first.url('postgres'), 'CREATE TABLE kept (id int)');
    process.kill(serverPid(), 'SIGKILL');
    await first.exited;
    await sleep(200);
    const second = await start();
    expect(await query(second.url('postgres'), 'TABLE kept')).toEqual([]);
    await second.stop();
  });

  it('reports in a sentence that another server uses its folder', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(`The data folder ${dir} is in use by another PostgreSQL.`);
    await first.stop();
  });

  it.runIf(process.getuid?.() === 0)('runs for root in a folder that no other user can enter', async () => {
    const closed = mkdtempSync(path.join(homedir(), '.carelane-closed-'));
    try {
      const server = await start({ folder: path.join(closed, 'postgres') });
      expect(await query(server.url('postgres'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await server.stop();
    } finally {
      rmSync(closed, { recursive: true });
    }
  });
});
