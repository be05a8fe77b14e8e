import type pg from 'pg';
import { readTables } from './catalogue.ts';

/**
 * Counters and caches, which any request may touch, what comes by itself (webhooks, the numbers of events), and the audit
 * log, where a refusal is noted too: what it says is looked at by itself.
 */
const NOT_COUNTED = [
  ...['rate_limit_counts', 'provider_snapshots', 'availability_days', 'inbound_events'],
  ...['event_feeds', 'event_numbers', 'unnumbered_events'],
];

/** What tells how many rows each table has, to show that a refused request left nothing behind. */
export async function rowCounter(owner: pg.ClientBase): Promise<() => Promise<Record<string, number>>> {
  const tables = (await readTables(owner, ['graphile_worker'])).filter(
    ({ name }) => !NOT_COUNTED.includes(name) && !name.startsWith('audit_'),
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from "${name}"`);
  // Named, and so planned once: it is asked before and after each of thousands of requests.
  const asked = { name: 'row_counts', text: counts.join(' union all ') };
  return async () => {
    const { rows } = await owner.query<{ name: string; count: number }>(asked);
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  };
}
