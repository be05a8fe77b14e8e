import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SECOND } from '#server/core/clock.ts';
import { withClinic } from '../clinic.ts';
import { connectTo } from '../invariants/tenant-walk.ts';
import type { ReceivedWebhook } from '../webhook-receiver.ts';
import { type WebhookSetup, withWebhooks } from '../webhook-setup.ts';

/** The sequences that show each fault. */
type StreamViolations = {
  /** Never arrived, although later events of the same object did. */
  lost: number[];
  /** Arrived under more than one id. */
  twoIds: number[];
  /** First arrived after a later event of the same object. */
  outOfOrder: number[];
  /** Never arrived, nor did any later event of the same object: another object's failure held them up. */
  heldUp: number[];
};

/**
 * W2, W3 and W5 as a receiver sees them. `objects`: the object of each sequence; `poison`: the object whose events are
 * always rejected.
 */
function streamViolations({
  objects,
  poison,
  got,
  accepted,
}: {
  objects: ReadonlyMap<number, string>;
  poison: string;
  got: readonly ReceivedWebhook[];
  accepted: readonly ReceivedWebhook[];
}): StreamViolations {
  const ids = new Map<number, Set<unknown>>();
  for (const { body, headers } of got) {
    const sequenceIds = ids.get(body.sequence) ?? new Set();
    ids.set(body.sequence, sequenceIds.add(headers['webhook-id']).add(body.id));
  }
  const arrived = [...new Set(accepted.map(({ body }) => body.sequence as number))];
  const newest = new Map<string, number>();
  const outOfOrder = arrived.filter((sequence) => {
    const object = objects.get(sequence)!;
    const isLate = sequence < (newest.get(object) ?? 0);
    newest.set(object, Math.max(sequence, newest.get(object) ?? 0));
    return isLate;
  });
  const missing = [...objects].filter(([sequence, object]) => object !== poison && !arrived.includes(sequence));
  const isPassed = ([sequence, object]: [number, string]) => sequence < (newest.get(object) ?? 0);
  return {
    lost: missing.filter(isPassed).map(([sequence]) => sequence),
    twoIds: [...ids].filter(([, of]) => of.size > 1).map(([sequence]) => sequence),
    outOfOrder,
    heldUp: missing.filter((one) => !isPassed(one)).map(([sequence]) => sequence),
  };
}

const OBJECTS = 5;
const EVENTS = process.env.PROVE ? 35 : 20;
const POISON = 'object 0';
/** Nothing is due for this many polls: the rest waits for its next attempt. Fewer stalls than an event has attempts. */
const [CALM_LOOKS, LOOK_MS] = [3, 50];
const MOST_STALLS = 5;
const NO_FAULTS: StreamViolations = { lost: [], twoIds: [], outOfOrder: [], heldUp: [] };

let setup: WebhookSetup;
let owner: pg.Client;
beforeEach(async () => {
  setup = await withWebhooks(await withClinic({ clock: true }));
  owner = await connectTo(setup.database.ownerUrl);
});
afterEach(async () => {
  await owner.end();
  await setup.stop();
});

/**
 * Delivers to a receiver that rejects every third event once and all events of one object, and checks what it received
 * and accepted.
 */
async function live(): Promise<StreamViolations> {
  const { id, recordEvent, endpoint, ctx } = await setup.tenant();
  const rejected = new Set<number>();
  const receiver = await setup.receiver(({ body: { sequence } }) => {
    const isFirst = !rejected.has(sequence) && rejected.add(sequence);
    return objectOf(sequence) === POISON || (isFirst && sequence % 3 === 0) ? 503 : 204;
  });
  await endpoint(receiver.url);
  for (let n = 1; n <= EVENTS; n += 1) await recordEvent('patient.updated', objectOf(n));
  await expect.poll(() => ctx.db.eventNumber.count(), { timeout: 10_000 }).toBe(EVENTS);
  const queued = async () => (await owner.query('select from webhook_deliveries')).rowCount;
  await expect.poll(queued, { timeout: 10_000 }).toBe(EVENTS);
  const objects = new Map(Array.from({ length: EVENTS }, (_, n) => [n + 1, objectOf(n + 1)]));
  const wanted = [...objects.values()].filter((object) => object !== POISON).length;
  const arrived = () => new Set(receiver.accepted.map(({ body }) => body.sequence)).size;
  for (let stalls = 0; stalls < MOST_STALLS && arrived() < wanted; stalls += 1) {
    for (let calm = 0; calm < CALM_LOOKS; await pause(LOOK_MS)) calm = (await isAnyDue()) ? 0 : calm + 1;
    setup.pass(10 * SECOND, id);
  }
  return streamViolations({ objects, poison: POISON, got: receiver.received, accepted: receiver.accepted });
}
async function isAnyDue(): Promise<boolean> {
  const { rows } = await owner.query<{ due: boolean }>(
    "select exists (select from webhook_deliveries where state = 'sending' or next_try_at <= $1) as due",
    [setup.services.clock.now()],
  );
  return rows[0]!.due;
}
const objectOf = (sequence: number) => `object ${sequence % OBJECTS}`;

/** Plants a trigger that runs before a row is written. */
const beforeWriting = (when: 'insert' | 'update', body: string) =>
  owner.query(`
    create function planted() returns trigger language plpgsql security definer as $$ begin ${body} return new; end $$;
    create trigger planted before ${when} on webhook_deliveries for each row execute function planted()`);

test('intact: no event is lost, renamed, out of order or held up by another object', async () => {
  expect(await live()).toEqual(NO_FAULTS);
});

test('W2: detects a rejection that is recorded as delivered', async () => {
  await beforeWriting(
    'update',
    `if old.state = 'sending' and new.state = 'waiting' then
       new.state := 'delivered';
       new.next_try_at := null;
       update webhook_deliveries set state = 'waiting', next_try_at = now() where id = (
         select id from webhook_deliveries where object_id = new.object_id and state = 'held' order by sequence limit 1);
     end if;`,
  );
  expect((await live()).lost.length).toBeGreaterThan(0);
});

test('W2: detects another attempt under another id', async () => {
  await beforeWriting(
    'update',
    `if old.state = 'sending' and new.state = 'waiting' then
       new.event_id := gen_random_uuid();
       -- Triggers are disabled, or the row would be queued as a new event.
       set local session_replication_role = replica;
       update event_numbers set event_id = new.event_id where tenant_id = new.tenant_id and sequence = new.sequence;
       insert into events (id, tenant_id, event_type, event_topic, object_id, patient_id, author_type, author_id, payload, created_at)
         select new.event_id, tenant_id, event_type, event_topic, object_id, patient_id, author_type, author_id, payload, created_at
         from events where id = old.event_id;
       set local session_replication_role = origin;
     end if;`,
  );
  expect((await live()).twoIds.length).toBeGreaterThan(0);
});

test('W3: detects an event that does not wait for earlier ones of its object', async () => {
  await beforeWriting('insert', `if new.state = 'held' then new.state := 'waiting'; new.next_try_at := now(); end if;`);
  expect((await live()).outOfOrder.length).toBeGreaterThan(0);
});

test('W5: detects a failure that holds up the whole endpoint', async () => {
  await beforeWriting(
    'insert',
    `if new.object_id <> '${POISON}' then new.object_id := '${POISON}'; new.state := 'held'; new.next_try_at := null; end if;`,
  );
  expect((await live()).heldUp.length).toBeGreaterThan(0);
});
