import type pg from 'pg';

export type FeedViolations = {
  /** Missing sequences below the newest. */
  gaps: number;
  /** Events without a number, and changes without an event. */
  lost: number;
  /** Events of an object that are numbered before an earlier event of it. */
  outOfOrder: number;
  /** Events of changes that were not committed, or several events of one change. */
  invented: number;
  /** Numbers beyond or short of the feed's `last_sequence`. */
  wrongEnd: number;
};

/**
 * W1 and W3, read as the database owner: each patient's record counts its changes (`event-writers-process.ts`), and
 * each event holds the count.
 */
export async function feedViolations(owner: pg.ClientBase, tenantId: string): Promise<FeedViolations> {
  const { rows } = await owner.query<FeedViolations>(
    `with numbered as (
       select n.sequence, n.object_id, (e.payload->>'n')::int as n
       from event_numbers n left join events e on e.tenant_id = n.tenant_id and e.id = n.event_id and e.created_at = n.event_created_at
       where n.tenant_id = $1
     ), made as (
       select id::text as object_id, generate_series(1, (metadata->>'n')::int) as n from patients where tenant_id = $1
     ), told as (
       select object_id, (payload->>'n')::int as n from events where tenant_id = $1 and payload ? 'n'
     )
     select
       (select coalesce(max(sequence), 0) - count(*) from numbered)::int as gaps,
       ((select count(*) from made left join numbered using (object_id, n) where sequence is null)
         + (select count(*) from unnumbered_events where tenant_id = $1))::int as lost,
       (select count(*) from (select n - lag(n) over (partition by object_id order by sequence) as step from numbered) s
         where step <> 1)::int as "outOfOrder",
       ((select count(*) from told) - (select count(*) from made join (select distinct object_id, n from told) t using (object_id, n)))::int as invented,
       (select abs(coalesce((select last_sequence from event_feeds where tenant_id = $1), 0)
         - coalesce((select max(sequence) from numbered), 0)))::int as "wrongEnd"`,
    [tenantId],
  );
  return rows[0]!;
}

export const NO_VIOLATIONS: FeedViolations = { gaps: 0, lost: 0, outOfOrder: 0, invented: 0, wrongEnd: 0 };
