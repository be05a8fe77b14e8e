import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Context } from '#server/core/context.ts';
import type { Claimed } from './claim-deliveries.ts';
import { createEndpointQueues } from './endpoint-queues.ts';
import type { Outcome } from './send-delivery.ts';

const SENT = { status: 204, error: null, answer: '', retryAfter: null, ms: 1, as: null } satisfies Outcome;
const FAILED = { ...SENT, status: 500, error: 'it answered 500' };

function setUp(tenantId = 'tenant') {
  const sent: { id: string; end(outcome?: Outcome): Promise<void> }[] = [];
  const ended: string[] = [];
  const queues = createEndpointQueues({
    send: ({ id }) =>
      new Promise((resolve) => {
        sent.push({
          id,
          end: async (outcome = SENT) => {
            resolve(outcome);
            await tick();
          },
        });
      }),
    onEnd: (tenant) => ended.push(tenant),
  });
  let made = 0;
  const add = (endpoint_id: string, count: number, claimedAt = performance.now()): void => {
    const claimed = Array.from({ length: count }, () => ({ id: `${endpoint_id}${++made}`, endpoint_id }) as Claimed);
    queues.add(claimed, { ctx: { tenantId } as Context, secrets: new Map(), claimedAt });
    queues.start(tenantId);
  };
  return { queues, sent, ended, add, ids: () => sent.map(({ id }) => id) };
}
const idsOf = (claimed: Claimed[]) => claimed.map(({ id }) => id);

test('sends four at once to an endpoint, and the next when one ends', async () => {
  const { sent, add, ids, ended } = setUp();
  add('a', 6);
  expect(ids()).toEqual(['a1', 'a2', 'a3', 'a4']);
  await sent[1]!.end();
  expect(ids()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  expect(ended).toEqual(['tenant']);
});

test('claims more of an endpoint that answers quickly, until it is idle', async () => {
  const { queues, sent, add } = setUp();
  const most = () => queues.workOf('tenant').map((one) => one.most);
  add('a', 2);
  expect(most()).toEqual([4]);
  await sent[0]!.end();
  expect(most()).toEqual([16]);
  await sent[1]!.end({ ...SENT, ms: 500 });
  expect(most()).toEqual([4]);
  queues.start('tenant');
  expect(most()).toEqual([]);
});

test('gives back what waits for an endpoint that fails, which then gets one at a time', async () => {
  const { queues, sent, add, ids } = setUp();
  add('a', 6);
  await sent[0]!.end(FAILED);
  expect(ids()).toHaveLength(4);
  expect(idsOf(queues.takeBack('tenant', null))).toEqual(['a5', 'a6']);
  expect(queues.takeBack('tenant', null)).toEqual([]);
  for (const one of sent.slice(1)) await one.end(FAILED);
  queues.start('tenant');
  expect(queues.workOf('tenant')).toEqual([{ endpointId: 'a', running: 0, most: 1 }]);
  expect(queues.room()).toBe(128);
});

test('gives back what waits for a switched-off endpoint', () => {
  const { queues, add, ids } = setUp();
  add('a', 5);
  add('b', 5);
  expect(idsOf(queues.takeBack('tenant', new Set(['b'])))).toEqual(['b10']);
  expect(queues.waitingAt('tenant')).toEqual(['a']);
  expect(ids()).toHaveLength(8);
});

test('gives back a claim that is not started within three seconds', () => {
  const { queues, add, ids, ended } = setUp();
  add('a', 2, performance.now() - 3_100);
  expect(ids()).toEqual([]);
  expect(ended).toEqual(['tenant', 'tenant']);
  expect(idsOf(queues.takeBack('tenant', null))).toEqual(['a1', 'a2']);
});

test('sends 64 at once, has no room for more until one ends, and continues with any endpoint', async () => {
  const { queues, sent, add, ids } = setUp();
  for (let n = 0; n < 17; n += 1) add(String.fromCharCode(97 + n), 4);
  expect(ids()).toHaveLength(64);
  expect(queues.room()).toBe(0);
  await sent[0]!.end();
  expect(ids().at(-1)).toBe('q65');
  expect(queues.waitingAt('tenant')).toEqual(['q']);
});

test('starts nothing after a stop, and names the tenants with deliveries to give back', async () => {
  const { queues, sent, add, ids } = setUp();
  add('a', 5);
  expect(queues.stop()).toEqual(['tenant']);
  await sent[0]!.end();
  expect(ids()).toHaveLength(4);
  expect(idsOf(queues.takeBack('tenant', 'all'))).toEqual(['a5']);
});
