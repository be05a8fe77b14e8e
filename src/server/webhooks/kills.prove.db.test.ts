import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import { serviceProgram } from '#dev/testing/start-service-process.ts';
import { type Receiver, startReceiver } from '#dev/testing/webhook-receiver.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { createEndpoint } from './change-endpoint.ts';

/**
 * `PROVE=1` runs the long form, which waits for leases to expire; the short one shortens them. `SEED` replays the
 * random choices.
 */
const LONG = process.env.PROVE === '1';
const KILLS = LONG ? 100 : 3;
const EACH_ROUND = 40;
const OBJECTS = 12;
/** Deliveries of a killed process are free after their lease of 20 seconds, and wait five more after an error. */
const WITHIN_MS = 60_000;
const MOST_OF_A_LEASE = 18;

let clinic: Clinic;
let ctx: Context;
let receiver: Receiver;
let program: Awaited<ReturnType<typeof serviceProgram>>;
let settings: Record<string, string>;
beforeAll(async () => {
  clinic = await withClinic({ env: { LOG_LEVEL: 'error', PORT: '0' } });
  ({ ctx, settings } = clinic);
  const random = seededRandom();
  // Slow enough that deliveries are always in progress. Some are rejected, each once: a second failure would wait a
  // minute.
  const rejected = new Set<string>();
  receiver = await startReceiver(() => (response, webhook) => {
    const isRejected = random() < 0.03 && !rejected.has(webhook.body.id);
    if (isRejected) rejected.add(webhook.body.id);
    void pause(random() * 40).then(() => {
      if (!isRejected) receiver.accepted.push(webhook);
      response.writeHead(isRejected ? 503 : 204, { 'retry-after': '1' }).end();
    });
  });
  await createEndpoint(asAdmin(clinic.services, clinic.tenant), { url: receiver.url, event_types: ['*'] });
  program = await serviceProgram('service-process.ts');
}, 60_000);
afterAll(async () => {
  await program?.stop();
  await receiver?.stop();
  await clinic?.stop();
});

test(
  `every event arrives under one id and in order while one of two senders is killed ${KILLS} times`,
  async () => {
    const random = seededRandom(SEED + 1);
    const running = await Promise.all([program.start(settings), program.start(settings)]);
    let recorded = 0;
    const recordEvent = (object: string) =>
      ctx.db.$transaction((tx) =>
        record(tx, ctx, {
          action: 'patients.update',
          object: { type: 'Test', id: object },
          event: 'patient.updated',
          payload: { n: recorded },
        }),
      );
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let n = 0; n < EACH_ROUND; n += 1, recorded += 1) await recordEvent(`object ${recorded % OBJECTS}`);
      await expect
        .poll(() => receiver.received.length, { timeout: WITHIN_MS, interval: 5 })
        .toBeGreaterThan(kill * EACH_ROUND * 0.5);
      await pause(random() * 100);
      const place = random() < 0.5 ? 0 : 1;
      running[place]!.kill('SIGKILL');
      await running[place]!.ended;
      // Also shortens the leases of the other process, whose work is then done twice, as after a long pause of its
      // machine.
      if (!LONG)
        await ctx.db.$executeRaw`
          update webhook_deliveries set leased_until = leased_until - make_interval(secs => ${MOST_OF_A_LEASE}::int)
          where state = 'sending'`;
      running[place] = await program.start(settings);
    }
    const arrived = () => new Set(receiver.accepted.map(({ body }) => body.id)).size;
    await expect.poll(arrived, { timeout: WITHIN_MS, interval: 50 }).toBe(recorded);
    const countUndelivered = () => ctx.db.webhookDelivery.count({ where: { state: { not: 'delivered' } } });
    await expect.poll(countUndelivered, { timeout: WITHIN_MS, interval: 200 }).toBe(0);

    const sequenceOf = new Map<string, number>();
    const first = new Map<string, number[]>();
    for (const { body, headers } of receiver.accepted) {
      expect(headers['webhook-id']).toBe(body.id);
      const known = sequenceOf.get(body.id);
      if (known !== undefined) expect(body.sequence).toBe(known);
      else first.set(body.object_id, [...(first.get(body.object_id) ?? []), body.sequence]);
      sequenceOf.set(body.id, body.sequence);
    }
    for (const sequences of first.values()) expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect([...sequenceOf.values()].sort((a, b) => a - b)).toEqual(Array.from({ length: recorded }, (_, n) => n + 1));
    const copies = receiver.accepted.length - recorded;
    console.info(`webhook kills: SEED=${SEED}, ${KILLS} kills, ${recorded} events, ${copies} sent more than once`);
  },
  KILLS * 30_000 + 300_000,
);
