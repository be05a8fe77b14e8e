import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { startFakeTwilio } from '#dev/testing/fake-twilio.ts';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import { type ServiceProcess, serviceProgram } from '#dev/testing/start-service-process.ts';
import { type Context, systemContext } from '#server/core/context.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';

/** `PROVE=1` runs the long form, `SEED` replays a run. */
const LONG = process.env.PROVE === '1';
const ROUNDS = LONG ? 200 : 4;
/**
 * A job is free 14 s after its process died, and the next process may die before it starts: three such waits in a row.
 */
const WITHIN_MS = 45_000;
const MESSAGES_A_ROUND = 12;
/** The longest time the SMS provider takes for a message. */
const SLOWEST_MS = 1000;

let clinic: Clinic;
let ctx: Context;
let queue: pg.Client;
let program: Awaited<ReturnType<typeof serviceProgram>>;
let settings: Record<string, string>;
let phone: Awaited<ReturnType<typeof startFakeTwilio>>;

beforeAll(async () => {
  phone = await startFakeTwilio();
  clinic = await withClinic({ env: { DATABASE_CONNECTIONS: '10', PORT: '0', ...phone.settings } });
  const { services } = clinic;
  settings = { ...clinic.settings, LOG_LEVEL: 'warn' };
  const { id } = await createTenant(services, { name: 'Riverbend Clinic', timeZone: 'America/New_York' });
  ctx = systemContext(services, id, 'test');
  queue = new pg.Client({ connectionString: clinic.database.url });
  await queue.connect();
  program = await serviceProgram();
});
afterAll(async () => {
  await program.stop();
  await queue.end();
  await phone.stop();
  await clinic?.stop();
});

const listJobs = async (): Promise<{ id: string; held_ms: number }[]> =>
  (
    await queue.query(
      `select id, coalesce(extract(epoch from now() - locked_at) * 1000, 0)::int as held_ms
       from graphile_worker._private_jobs`,
    )
  ).rows;

/**
 * Waits for the queue to be empty. The duration depends on the machine; a queue is stuck if it stops getting shorter.
 */
async function untilEmpty(within: number): Promise<number> {
  const startedAt = Date.now();
  let shortest = Number.POSITIVE_INFINITY;
  let shorterAt = startedAt;
  for (;;) {
    const jobs = await listJobs();
    if (jobs.length === 0) return Date.now() - startedAt;
    if (jobs.length < shortest) [shortest, shorterAt] = [jobs.length, Date.now()];
    if (Date.now() - shorterAt > within)
      throw new Error(`${jobs.length} are stuck: ${JSON.stringify(jobs.slice(0, 10))}`);
    await pause(50);
  }
}

test(
  `${ROUNDS} SIGKILLs of two processes at random points lose no message, and none is stuck or sent twice at once`,
  async () => {
    const random = seededRandom();
    phone.takes(() => random() * SLOWEST_MS);
    const running: (ServiceProcess | null)[] = await Promise.all([program.start(settings), program.start(settings)]);
    const starting: Promise<void>[] = [];
    const replace = (place: number) => {
      running[place] = null;
      starting[place] = program.start(settings).then((started) => {
        running[place] = started;
      });
    };
    const sent: string[] = [];
    const kills: number[] = [];
    const heldMs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (let n = 0; n < MESSAGES_A_ROUND; n++) sent.push(await phone.send(ctx));
      await pause(random() * 1500);
      const place = Math.floor(random() * 2);
      // Both are running, so the start time of a process does not matter.
      await Promise.all(starting);
      const victim = running[place]!;
      victim.kill('SIGKILL');
      kills.push(Date.now());
      replace(place);
      heldMs.push(...(await listJobs()).map(({ held_ms }) => held_ms));
    }
    const rest = await untilEmpty(WITHIN_MS);

    const entries = sent.map((code) => [code, phone.deliveries.get(code)] as const);
    expect(entries.filter(([, entry]) => !entry || entry.done === 0)).toEqual([]);
    expect(entries.filter(([, entry]) => entry!.atOnce > 0)).toEqual([]);
    const cut = entries.flatMap(([, entry]) =>
      entry!.cutAt.map((at) => (entry!.begun.find((begun) => begun > at) ?? Number.POSITIVE_INFINITY) - at),
    );
    expect(Math.max(0, ...cut)).toBeLessThan(WITHIN_MS);
    expect(Math.max(0, ...heldMs)).toBeLessThan(WITHIN_MS);
    const repeated = entries.filter(([, entry]) => entry!.done > 1).length;
    console.info(
      `kills: SEED=${SEED}, ${kills.length} kills, ${sent.length} messages, ${cut.length} cut off in the middle ` +
        `(again after ${Math.round(Math.max(0, ...cut))} ms at most), ${repeated} sent twice, ` +
        `the queue empty ${rest} ms after the last kill`,
    );
    await Promise.all(starting);
    for (const process of running) process!.kill('SIGKILL');
  },
  LONG ? 3_600_000 : 240_000,
);
