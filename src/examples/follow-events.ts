import type pg from 'pg';

type Feed = { baseUrl: string; token: () => Promise<string>; filter?: Record<string, string>; signal: AbortSignal };
type Expired = { errors: [{ meta: { oldest_sequence: number } }] };
type Event = { id: string; sequence: number; event_name: string; patient_id: string | null; payload: unknown };

/**
 * Follows a clinic's events and applies each exactly once, even after a crash: the position is stored in the
 * transaction that applies the events. Run one process per `name` and restart it when it throws. When the position is
 * older than the stored events, `reloadResources` reads the resources again, and the feed continues with the oldest event.
 */
export async function followEvents(
  db: pg.ClientBase,
  name: string,
  { baseUrl, token, filter, signal }: Feed,
  apply: (event: Event) => Promise<void>,
  reloadResources: () => Promise<void>,
): Promise<void> {
  await db.query('create table if not exists events_read (name text primary key, through bigint not null)');
  while (!signal.aborted) {
    const { rows } = await db.query('select through from events_read where name = $1', [name]);
    const query = new URLSearchParams({ ...filter, after_sequence: rows[0]?.through ?? '0', size: '100', wait: '30' });
    const headers = { authorization: `Bearer ${await token()}` };
    const response = await fetch(`${baseUrl}/events?${query}`, { headers, signal });
    const isExpired = response.status === 410;
    if (!response.ok && !isExpired) throw new Error(`${response.status} ${await response.text()}`);
    const body = await response.json();
    const through = isExpired
      ? (body as Expired).errors[0].meta.oldest_sequence - 1
      : response.headers.get('read-through-sequence');
    await db.query('begin');
    try {
      if (isExpired) await reloadResources();
      else for (const event of body as Event[]) await apply(event);
      await db.query('insert into events_read values ($1, $2) on conflict (name) do update set through = $2', [
        name,
        through,
      ]);
      await db.query('commit');
    } catch (error) {
      await db.query('rollback');
      throw error;
    }
  }
}
