import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { connectTo } from '#dev/testing/invariants/tenant-walk.ts';
import { testServices } from '#dev/testing/services.ts';
import { accessBy } from '#dev/testing/table-access.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';

let clinic: Clinic;
let owner: pg.Client;
let services: Services;
let other: Services;
let ctx: Context;

beforeAll(async () => {
  clinic = await withClinic();
  owner = await connectTo(clinic.database.ownerUrl);
  [services, other] = [clinic.services, testServices(clinic.database)];
});
beforeEach(async () => {
  ctx = systemContext(services, (await makeTenant(services)).id, 'test');
});
afterAll(async () => {
  await owner.end();
  await other.close();
  await clinic.stop();
});

const change = (id: string) => ({
  action: 'patients.update' as const,
  object: { type: 'Patient', id },
  event: 'patient.updated' as const,
  payload: { id },
});
const recordEvent = (id = newId()) => ctx.db.$transaction((tx) => record(tx, ctx, change(id)));
/** Inserts an event as an earlier version or a manual insert does: without a nudge. */
const insert = (id = newId(), tenantId = ctx.tenantId) =>
  owner.query(
    `insert into events (id, tenant_id, event_type, event_topic, object_id, author_type, author_id, payload)
     values ($1, $2, 'patient', 'updated', $3, 'System', 'test', '{}')`,
    [newId(), tenantId, id],
  );
/** The objects of the feed by sequence. */
const feed = async (tenantId = ctx.tenantId): Promise<[number, string][]> =>
  (
    await owner.query('select sequence, object_id from event_numbers where tenant_id = $1 order by sequence', [
      tenantId,
    ])
  ).rows.map(({ sequence, object_id }) => [Number(sequence), object_id]);
const objects = async () => (await feed()).map(([, id]) => id);
const countUnnumbered = async (): Promise<number> =>
  (await owner.query('select from unnumbered_events where tenant_id = $1', [ctx.tenantId])).rowCount!;
const number = async (of: Services = services, tenantId = ctx.tenantId): Promise<number> => {
  const [row] = await of.database.forTenant(tenantId).$queryRaw<
    { n: number }[]
  >`select carelane_number_events(1000) as n`;
  return row!.n;
};

test('an event gets the next number after its commit; a rollback uses none and leaves no gap', async () => {
  const ids = [newId(), newId(), newId()];
  await recordEvent(ids[0]);
  await expect(
    ctx.db.$transaction(async (tx) => {
      await record(tx, ctx, change(newId()));
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  await recordEvent(ids[1]);
  await recordEvent(ids[2]);
  await expect.poll(feed).toEqual(ids.map((id, index) => [index + 1, id]));
  expect(await countUnnumbered()).toBe(0);
});

test('events are numbered in the order of their commits', async () => {
  const [earlier, late] = [newId(), newId()];
  let commit = () => {};
  const gate = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const slow = ctx.db.$transaction(async (tx) => {
    await record(tx, ctx, change(earlier));
    await gate;
  });
  await recordEvent(late);
  await expect.poll(objects).toEqual([late]);
  commit();
  await slow;
  await expect.poll(objects).toEqual([late, earlier]);
});

test('events that wait together are numbered in the order of writing, also in batches', async () => {
  const ids = Array.from({ length: 7 }, () => newId());
  for (const id of ids) await insert(id);
  for (const remaining of [4, 1, 0]) {
    await ctx.db.$queryRaw`select carelane_number_events(3)`;
    expect(await countUnnumbered()).toBe(remaining);
  }
  expect(await feed()).toEqual(ids.map((id, index) => [index + 1, id]));
});

test('a tenant that another process numbers is skipped, and other tenants are not blocked', async () => {
  await insert();
  const otherTenantId = (await makeTenant(services)).id;
  await insert(newId(), otherTenantId);
  await owner.query('begin');
  await owner.query(`select pg_advisory_xact_lock(hashtextextended('carelane numbering ' || $1, 0))`, [ctx.tenantId]);
  expect(await number()).toBe(-1);
  expect(await number(other, otherTenantId)).toBe(1);
  expect(await feed()).toEqual([]);
  await owner.query('commit');
  expect(await number()).toBe(1);
});

test('an event skipped while another process numbers is numbered a moment later', async () => {
  await owner.query('begin');
  await owner.query(`select pg_advisory_xact_lock(hashtextextended('carelane numbering ' || $1, 0))`, [ctx.tenantId]);
  const id = newId();
  await recordEvent(id);
  expect(await objects()).toEqual([]);
  await owner.query('commit');
  await expect.poll(objects).toEqual([id]);
});

test('an event without a nudge is numbered by any serving process', { timeout: 20_000 }, async () => {
  const idle = testServices(clinic.database);
  const id = newId();
  await insert(id);
  idle.events.start();
  await expect.poll(objects, { timeout: 10_000 }).toEqual([id]);
  await idle.close();
});

test('closing the services numbers the committed events first', async () => {
  const shortLived = testServices(clinic.database);
  const mine = systemContext(shortLived, ctx.tenantId, 'test');
  const id = newId();
  await mine.db.$transaction((tx) => record(tx, mine, change(id)));
  await shortLived.close();
  expect(await objects()).toEqual([id]);
});

test('an event that is queued again keeps its number', async () => {
  await recordEvent();
  await expect.poll(countUnnumbered).toBe(0);
  await owner.query(
    `insert into unnumbered_events select tenant_id, position, id, created_at, event_type, event_topic, object_id, patient_id
     from events where tenant_id = $1`,
    [ctx.tenantId],
  );
  const id = newId();
  await insert(id);
  // The process that numbered the first checks once more a moment later, and may number these.
  await number();
  await expect.poll(countUnnumbered).toBe(0);
  expect((await feed()).map(([sequence]) => sequence)).toEqual([1, 2]);
  expect((await objects())[1]).toBe(id);
});

test('writers send no NOTIFY, which would serialise their commits; numbering sends one', async () => {
  const listener = await connectTo(clinic.database.url);
  await listener.query('listen carelane_events');
  const payloads: string[] = [];
  listener.on('notification', ({ payload }) => payloads.push(payload!));
  await insert();
  await listener.query('select 1');
  expect(payloads).toEqual([]);
  await number();
  await expect.poll(() => payloads).toEqual([`${ctx.tenantId} 1`]);
  expect(await number()).toBe(0);
  await listener.query('select 1');
  expect(payloads).toHaveLength(1);
  await listener.end();
});

test('purging leaves no gap, and numbers are not reused', async () => {
  for (let n = 0; n < 4; n += 1) await insert();
  await number();
  // Created before the third, numbered after it.
  await owner.query(
    `update event_numbers set event_created_at = now() - interval '1 day' where tenant_id = $1 and sequence = 3`,
    [ctx.tenantId],
  );
  const forget = `select carelane_forget_numbers(now() - interval '1 hour') as n`;
  await owner.query(`select set_config('app.tenant_id', $1, false)`, [ctx.tenantId]);
  expect((await owner.query(forget)).rows).toEqual([{ n: '3' }]);
  expect((await owner.query(forget)).rows).toEqual([{ n: '0' }]);
  expect((await feed()).map(([sequence]) => sequence)).toEqual([4]);
  await owner.query(`select carelane_forget_numbers(now() + interval '1 hour')`);
  await insert();
  await number();
  expect((await feed()).map(([sequence]) => sequence)).toEqual([5]);
  expect(await ctx.db.eventFeed.findFirst()).toMatchObject({ oldestSequence: 5n, lastSequence: 5n });
});

test('tenantsWithUnnumbered lists tenants with waiting events, and reveals nothing else', async () => {
  const otherTenantId = (await makeTenant(services)).id;
  await insert();
  await insert();
  await insert(newId(), otherTenantId);
  expect((await services.database.tenantsWithUnnumbered()).sort()).toEqual(
    expect.arrayContaining([ctx.tenantId, otherTenantId].sort()),
  );
  expect(await services.database.forTenant(otherTenantId).unnumberedEvent.count()).toBe(1);
  await number();
  await number(services, otherTenantId);
});

test('numbering reads no more with a hundred thousand waiting events than with a few', {
  timeout: 60_000,
}, async () => {
  await owner.query(
    `insert into unnumbered_events select $1, n, gen_random_uuid(), now(), 'patient', 'updated', n::text, null
     from generate_series(1, 100000) n`,
    [ctx.tenantId],
  );
  const client = await connectTo(clinic.database.url);
  await client.query(`select set_config('app.tenant_id', $1, false)`, [ctx.tenantId]);
  const access = await accessBy(client, () => client.query('select carelane_number_events(100)'));
  const report = JSON.stringify(access);
  await client.end();
  expect(access.sequential, report).toEqual([]);
  expect(Object.keys(access.searches).sort(), report).toEqual([
    'event_feeds_pkey',
    'event_numbers_tenant_id_event_id_key',
    'unnumbered_events_pkey',
  ]);
  // Each of the hundred is read, looked up among the numbers and deleted.
  expect(access.searches.unnumbered_events_pkey, report).toBeLessThanOrEqual(100 + 10);
  expect(access.rows, report).toBeLessThanOrEqual(3 * 100 + 20);
  expect(await countUnnumbered()).toBe(99_900);
  await owner.query('delete from unnumbered_events where tenant_id = $1', [ctx.tenantId]);
});
