import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_PAGE_SIZE } from '#contract/conventions.ts';
import type { ListEventsInput } from '#contract/events.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { listEvents } from '#server/events/list-events.ts';
import { listLatestEvents } from '#server/events/router.ts';
import { asAdmin } from './actors.ts';
import { type AuditBench, withAuditLog } from './audit-log.ts';
import { withClinic } from './clinic.ts';
import { describeScans, explaining, type PlanNode, pagesTouchedBy, rowsReadBy, scansOf } from './query-plan.ts';

/** `PROVE=1` runs the long form. */
const LONG = process.env.PROVE === '1';
const SIZES = LONG ? [50_000, 500_000, 5_000_000] : [3_000, 30_000];
const BATCH = 250_000;
const MONTHS = 6;
const OBJECTS = 1_000;
/** From the middle of a month to the middle of this one: on any day, no month has only a few events, which are read whole. */
const FIRST = `date_trunc('month', now()) - interval '${MONTHS - 1} months 15 days'`;

let bench: AuditBench;
beforeAll(async () => {
  bench = await withAuditLog(await withClinic());
});
afterAll(() => bench?.stop());

/** Grows a feed to this many events, spread over the last months. */
async function grow({ tenantId }: Context, from: number, to: number): Promise<void> {
  const { free } = bench;
  for (let first = from + 1; first <= to; first += BATCH)
    await free.query(
      `with made as (
         insert into events (id, tenant_id, event_type, event_topic, object_id, patient_id, author_type, author_id, payload,
           created_at)
         select gen_random_uuid(), $1, 'patient', case when n % 1000 = 0 then 'archived' else 'updated' end,
           (n % ${OBJECTS})::text, md5((n % ${OBJECTS})::text)::uuid, 'System', 'test',
           jsonb_build_object('id', md5((n % ${OBJECTS})::text), 'previous_attributes', jsonb_build_object('email', n)),
           ${FIRST} + make_interval(days => 30) * (${MONTHS} * (n - $2::int - 0.5) / ($3::int - $2::int))
         from generate_series($4::int, $5::int) n
         returning tenant_id, id, created_at, event_type, event_topic, object_id, patient_id, (payload->'previous_attributes'->>'email')::int as n)
       insert into event_numbers (tenant_id, sequence, event_id, event_created_at, event_type, event_topic, object_id, patient_id)
       select tenant_id, n, id, created_at, event_type, event_topic, object_id, patient_id from made`,
      [tenantId, from, to, first, Math.min(first + BATCH - 1, to)],
    );
  await free.query(
    `insert into event_feeds (tenant_id, last_sequence) values ($1, $2)
     on conflict (tenant_id) do update set last_sequence = excluded.last_sequence`,
    [tenantId, to],
  );
  await free.query('vacuum (analyze) events');
  await free.query('vacuum (analyze) event_numbers');
}

/** Filters with the `event_numbers` index that serves them; null where the plan depends on the size. */
const FILTERS: [Omit<ListEventsInput, 'after_sequence'>, string | null][] = [
  [{}, 'event_numbers_pkey'],
  [{ event_topic: ['archived'] }, 'event_numbers_tenant_id_event_type_event_topic_sequence_idx'],
  [{ event_type: ['integration'] }, 'event_numbers_tenant_id_event_type_event_topic_sequence_idx'],
  [{ object_id: '7' }, 'event_numbers_tenant_id_object_id_sequence_idx'],
  [{ patient_id: newId() }, 'event_numbers_tenant_id_patient_id_sequence_idx'],
  [{ object_id: '7', event_topic: ['archived'] }, null],
];

/**
 * Returns true for a sequential scan of many rows; early in a month a partition may be so small that one is cheapest.
 */
const isOfWholeTable = (scan: PlanNode): boolean =>
  /Seq Scan/.test(scan['Node Type']) && rowsReadBy(scan) > DEFAULT_PAGE_SIZE;

test('reading a feed costs the same at any length, and dropping a month is immediate', {
  timeout: LONG ? 3_600_000 : 60_000,
}, async () => {
  const ctx = asAdmin(bench.services, { id: bench.tenant().tenantId });
  const { free, owner } = bench;
  // One event in each month first, so that partitions exist for the rest.
  await grow(ctx, 0, MONTHS * 2);
  await owner.query('select make_log_partitions()');
  const measured: { events: number; most: number }[] = [];
  let [held, bytes] = [MONTHS * 2, 0];
  for (const size of SIZES) {
    await grow(ctx, held, size);
    held = size;
    let most = 0;
    for (const [filter, index] of FILTERS) {
      const plans: PlanNode[] = [];
      const explained = explaining(ctx, (plan) => plans.push(plan));
      for (const after_sequence of [0, size / 2, size - 60]) await listEvents(explained, { ...filter, after_sequence });
      await listLatestEvents(explained, { ...filter });
      // A topic of one object costs as much as the object has events, at any feed length.
      if (index) most = Math.max(most, ...plans.map(pagesTouchedBy));
      // A sequential scan of a short feed is fine.
      if (size === SIZES[0]) continue;
      for (const plan of plans) {
        const about = `${JSON.stringify(filter)} among ${size}: ${describeScans(plan)}`;
        const scans = scansOf(plan);
        expect(scans.filter(isOfWholeTable), about).toEqual([]);
        const numbers = scans.filter((scan) => scan['Relation Name'] === 'event_numbers');
        if (index)
          expect(
            numbers.map((scan) => scan['Index Name']),
            about,
          ).toEqual([index]);
        // Each returned number and its event; a topic of one object is searched among all events of the object.
        const bound = index ? 2 * (DEFAULT_PAGE_SIZE + 1) : size / OBJECTS + DEFAULT_PAGE_SIZE;
        expect(rowsReadBy(plan), about).toBeLessThanOrEqual(bound);
      }
    }
    measured.push({ events: size, most });
    const { rows } = await free.query(
      `select sum(pg_total_relation_size(i.inhrelid))::float8 + pg_total_relation_size('event_numbers') as bytes
       from pg_inherits i where i.inhparent = 'events'::regclass`,
    );
    bytes = rows[0].bytes;
  }
  const since = performance.now();
  const { rows } = await owner.query(`select drop_log_partitions('events', now() - interval '60 days') as dropped`);
  const droppedMs = Math.round(performance.now() - since);
  const left = await ctx.db.eventNumber.count();
  console.info(
    `feed: most pages a read touched ${JSON.stringify(measured)}; ${Math.round(bytes / held)} bytes an event with its ` +
      `number and all indexes; ${rows[0].dropped} months (${held - left} events) dropped in ${droppedMs} ms`,
  );
  expect(rows[0].dropped).toBeGreaterThanOrEqual(MONTHS - 3);
  // A deeper index adds one page to each lookup.
  if (LONG) expect(measured.at(-1)!.most).toBeLessThan(2 * measured[0]!.most);
});
