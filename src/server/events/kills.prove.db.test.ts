import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { startConsumer } from '#dev/testing/feed-consumer.ts';
import { feedViolations, NO_VIOLATIONS } from '#dev/testing/invariants/event-feed.ts';
import { connectTo } from '#dev/testing/invariants/tenant-walk.ts';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import { serviceProgram } from '#dev/testing/start-service-process.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';

/** `PROVE=1` runs the long form, `SEED` replays its random choices. */
const LONG = process.env.PROVE === '1';
const [KILLS, EVENTS, WRITERS, PATIENTS] = LONG ? [200, 100_000, 32, 40] : [3, 900, 8, 10];
/** The interval of a surviving process finds events left by a killed one. */
const WITHIN_MS = 20_000;

let clinic: Clinic;
let owner: pg.Client;
let ctx: Context;
let program: Awaited<ReturnType<typeof serviceProgram>>;
let settings: Record<string, string>;

beforeAll(async () => {
  clinic = await withClinic({
    env: { DATABASE_CONNECTIONS: `${WRITERS / 2 + 4}`, WORKER: 'off', LOG_LEVEL: 'error' },
  });
  owner = await connectTo(clinic.database.ownerUrl);
  ({ ctx } = clinic);
  const { id } = clinic.tenant;
  const patientIds = Array.from({ length: PATIENTS }, () => newId());
  await ctx.db.patient.createMany({ data: patientIds.map((patientId) => ({ id: patientId, tenantId: id })) });
  settings = { ...clinic.settings, TENANT_ID: id, PATIENT_IDS: patientIds.join(','), WRITERS: `${WRITERS / 2}` };
  program = await serviceProgram('event-writers-process.ts');
});
afterAll(async () => {
  await program?.stop();
  await owner?.end();
  await clinic?.stop();
});

const countEvents = async (): Promise<number> =>
  Number((await owner.query('select count(*) from events where tenant_id = $1', [ctx.tenantId])).rows[0].count);

async function untilAllNumbered(): Promise<number> {
  const since = performance.now();
  for (;;) {
    const { rowCount } = await owner.query('select from unnumbered_events limit 1');
    if (rowCount === 0) return performance.now() - since;
    if (performance.now() - since > WITHIN_MS) throw new Error('events were left without a number');
    await pause(50);
  }
}

test(
  `no event is lost, early or repeated with ${WRITERS} writers in two processes, one killed ${KILLS} times`,
  async () => {
    const random = seededRandom();
    let started = 0;
    const start = () => program.start({ ...settings, SEED: `${SEED + started++}` });
    const running = [start(), start()];
    await Promise.all(running);
    const [patient] = settings.PATIENT_IDS!.split(',');
    const unfiltered = startConsumer(ctx, {}, random);
    const ofOne = startConsumer(ctx, { patient_id: patient! }, random);
    const ofOneTopic = startConsumer(ctx, { event_type: ['patient'], event_topic: ['updated'] }, random);
    const filteredOut = startConsumer(ctx, { event_type: ['integration', 'visit'] }, random);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const expected = ((kill + 1) * EVENTS) / KILLS;
      while ((await countEvents()) < expected) await pause(20);
      await pause(random() * 60);
      const place = random() < 0.5 ? 0 : 1;
      const victim = await running[place]!;
      victim.kill('SIGKILL');
      await victim.ended;
      // The other process keeps running.
      running[place] = start();
    }
    while ((await countEvents()) < EVENTS) await pause(20);
    const last = await Promise.all(running);
    for (const process of last) process.kill('SIGKILL');
    await Promise.all(last.map(({ ended }) => ended));
    // A process that only serves: no commit of its own triggers numbering.
    ctx.events.start();
    const tookMs = await untilAllNumbered();

    expect(await feedViolations(owner, ctx.tenantId)).toEqual(NO_VIOLATIONS);
    const total = await countEvents();
    const all = await unfiltered.stop();
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    expect(await ofOneTopic.stop()).toEqual(all);
    expect(await ofOne.stop()).toEqual(all.filter(({ patient_id }) => patient_id === patient));
    expect(await filteredOut.stop()).toEqual([]);
    console.info(
      `event kills: SEED=${SEED}, ${KILLS} kills, ${total} events, the last numbered ${Math.round(tookMs)} ms after both had died`,
    );
  },
  LONG ? 3_600_000 : 240_000,
);
