import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/** Creates a folder for a test server's data, in memory if there is space: each suite copies a whole database there. */
export const makeDataFolder = async (): Promise<string> =>
  mkdtemp(path.join((await hasRoom()) ? MEMORY : tmpdir(), 'carelane-test-'));

async function hasRoom(): Promise<boolean> {
  const space = await statfs(MEMORY).catch(() => undefined);
  return space !== undefined && space.bavail * space.bsize > ROOM_BYTES;
}
