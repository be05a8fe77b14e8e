import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { cardFile } from './card.ts';

/**
 * Runs one statement in the database of the served copy, as its owner.
 * @returns the number of affected rows
 */
export async function inServedDatabase(text: string, values: unknown[] = []): Promise<number> {
  const folder = path.dirname(cardFile());
  const read = (name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  const client = new pg.Client({
    host: '127.0.0.1',
    port: read('ports.json').postgres,
    user: 'postgres',
    password: read('secrets.json').ownerPassword,
    database: 'carelane',
  });
  await client.connect();
  try {
    return (await client.query(text, values)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
