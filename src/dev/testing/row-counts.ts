import type pg from 'pg';
import { readTables } from './catalogue.ts';

/**
 * Excludes counters and caches, which any request may change; rows that arrive asynchronously (webhooks, event
 * numbers); and the audit log, where rejected requests are logged and which other assertions cover.
 */
const NOT_COUNTED = [
  ...['rate_limit_counts', 'provider_snapshots', 'availability_days', 'inbound_events'],
  ...['event_feeds', 'event_numbers', 'unnumbered_events'],
];

/** Returns a function that counts the rows of each table, to show that a rejected request left none. */
export async function rowCounter(owner: pg.ClientBase): Promise<() => Promise<Record<string, number>>> {
  const tables = (await readTables(owner, ['graphile_worker'])).filter(
    ({ name }) => !NOT_COUNTED.includes(name) && !name.startsWith('audit_'),
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from "${name}"`);
  // A named query is planned once: it runs before and after each of thousands of requests.
  const asked = { name: 'row_counts', text: counts.join(' union all ') };
  return async () => {
    const { rows } = await owner.query<{ name: string; count: number }>(asked);
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  };
}
