import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { listEvents } from '#server/events/list-events.ts';
import { type Clinic, withClinic } from '../clinic.ts';
import { feedViolations, NO_VIOLATIONS } from '../invariants/event-feed.ts';
import { connectTo } from '../invariants/tenant-walk.ts';
import { seededRandom } from '../seed.ts';

const WRITERS = 6;
const CHANGES = process.env.PROVE ? 25 : 10;
/** The late change commits only once the reader has reached this sequence, or after this time. */
const LATE = { sequence: 20, atMostMs: 3_000 };

let clinic: Clinic;
let owner: pg.Client;
let ctx: Context;
let patientIds: string[];
beforeEach(async () => {
  clinic = await withClinic();
  owner = await connectTo(clinic.database.ownerUrl);
  const tenantId = clinic.tenant.id;
  // Simulates processes whose clocks differ.
  const random = seededRandom();
  const clock = { now: () => new Date(Date.now() - random() * 5_000) };
  ctx = { ...clinic.ctx, clock };
  // The last patient belongs to the late change.
  patientIds = Array.from({ length: WRITERS + 1 }, () => newId());
  await ctx.db.patient.createMany({ data: patientIds.map((id) => ({ id, tenantId })) });
});
afterEach(async () => {
  await owner.end();
  await clinic.stop();
});

class Undone extends Error {}

/** Changes a patient, then commits or rolls back, sometimes with a delay. */
const change = (n: number): Promise<void> =>
  changeOf(patientIds[n % WRITERS]!, async () => {
    await pause(n % 5 === 0 ? 80 : 0);
    if (n % 9 === 0) throw new Undone();
  });

async function changeOf(id: string, beforeCommit: () => Promise<void>): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ n: number }[]>`
      update patients set metadata = jsonb_build_object('n', coalesce((metadata->>'n')::int, 0) + 1)
      where id = ${id}::uuid returning (metadata->>'n')::int as n`;
    const about = { action: 'patients.update' as const, object: { type: 'Patient', id }, patientId: id };
    await record(tx, ctx, { ...about, event: 'patient.updated', payload: { n: row!.n } });
    await beforeCommit();
  });
}

/** Takes the numbering lock like another process, so that several events wait together. */
async function holdUp(isOver: () => boolean): Promise<void> {
  const client = await connectTo(clinic.database.ownerUrl);
  const lock = `hashtextextended('carelane numbering ' || $1::text, 0)`;
  while (!isOver()) {
    await client.query(`select pg_advisory_lock(${lock})`, [ctx.tenantId]);
    await pause(150);
    await client.query(`select pg_advisory_unlock(${lock})`, [ctx.tenantId]);
    await pause(60);
  }
  await client.end();
}

/** Runs concurrent writers and a reader. @returns the feed's faults, and the number of events that the reader missed */
async function live({ withLate = false } = {}) {
  let [after, seen, isOver] = [0, 0, false];
  const reading = (async () => {
    for (;;) {
      const last = isOver;
      const feed = await listEvents(ctx, { after_sequence: after, size: 50 });
      seen += feed.items.length;
      after = feed.readThrough;
      if (last && feed.items.length === 0) return;
      await pause(process.env.PROVE ? 2 : 8);
    }
  })();
  const late =
    withLate &&
    changeOf(patientIds[WRITERS]!, async () => {
      const since = performance.now();
      while (after < LATE.sequence && performance.now() - since < LATE.atMostMs) await pause(5);
    });
  let isWritten = false;
  const holding = holdUp(() => isWritten);
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; n < CHANGES; n += 1)
        await change(writer * CHANGES + n).catch((error) => {
          if (!(error instanceof Undone)) throw error;
        });
    }),
  );
  await late;
  isWritten = true;
  await holding;
  for (let round = 0; round < 100; round += 1) {
    const { rowCount } = await owner.query('select from unnumbered_events');
    if (rowCount === 0) break;
    await pause(50);
  }
  isOver = true;
  await reading;
  const { rows } = await owner.query<{ count: number }>('select count(*)::int from event_numbers');
  return { ...(await feedViolations(owner, ctx.tenantId)), missed: rows[0]!.count - seen };
}

test('intact: no event is missing, early or out of order', async () => {
  expect(await live({ withLate: true })).toEqual({ ...NO_VIOLATIONS, missed: 0 });
});

describe('W3', () => {
  test('detects numbers that writers assign before they commit', async () => {
    await owner.query(`
      create sequence planted owned by event_numbers.sequence;
      grant usage on sequence planted to public;
      create or replace function carelane_queue_event() returns trigger language plpgsql as $$
      declare next bigint := nextval('planted');
      begin
        insert into event_numbers values (new.tenant_id, next, new.id, new.created_at, new.event_type, new.event_topic, new.object_id, new.patient_id);
        return null;
      end $$;
      drop table event_feeds;
      create view event_feeds with (security_invoker = true) as
        select tenant_id, max(sequence) as last_sequence, 1::bigint as oldest_sequence from event_numbers group by tenant_id;
      grant select on event_feeds to public`);
    const faults = await live({ withLate: true });
    expect(faults.gaps).toBeGreaterThan(0);
    expect(faults.missed).toBeGreaterThan(0);
  });

  test('detects numbers in clock order', async () => {
    const { rows } = await owner.query(`select pg_get_functiondef('carelane_number_events'::regproc) as text`);
    const text: string = rows[0].text;
    await owner.query(text.replaceAll('ORDER BY w.position', 'ORDER BY w.event_created_at'));
    expect((await live()).outOfOrder).toBeGreaterThan(0);
  });

  test('detects a numberer that loses events', async () => {
    const { rows } = await owner.query(`select pg_get_functiondef('carelane_number_events'::regproc) as text`);
    await owner.query(
      rows[0].text.replace('FROM waiting w\n', 'FROM (SELECT * FROM waiting WHERE position % 7 <> 0) w\n'),
    );
    expect((await live()).lost).toBeGreaterThan(0);
  });
});

test('W1: detects an event that is written outside the transaction', async () => {
  const outside = ctx.db;
  const $transaction: typeof outside.$transaction = (work, options) =>
    outside.$transaction((tx) => {
      const $queryRaw = (statement: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
        ('text' in statement && statement.text.includes('into events') ? outside : tx).$queryRaw(statement, ...values);
      return work(
        new Proxy(tx, { get: (of, name) => (name === '$queryRaw' ? $queryRaw : of[name as keyof typeof of]) }),
      );
    }, options);
  ctx = {
    ...ctx,
    db: new Proxy(outside, {
      get: (of, name) => (name === '$transaction' ? $transaction : of[name as keyof typeof of]),
    }),
  };
  expect((await live()).invented).toBeGreaterThan(0);
});
