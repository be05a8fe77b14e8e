import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallSeatView } from '#contract/visit-call.ts';
import { createCaller } from '#server/router.ts';
import { asVisitor, type Calls, candidate, DESCRIPTION, withCalls } from './calls.ts';
import { withClinic } from './clinic.ts';

const ROOMS = process.env.PROVE ? 100 : 4;
/** ICE candidates of each side, in addition to a description. */
const CANDIDATES = 10;

let calls: Calls;
beforeAll(async () => {
  calls = await withCalls(await withClinic({ env: { DATABASE_CONNECTIONS: '20' } }));
});
afterAll(() => calls?.stop());

test(`${ROOMS} rooms signal concurrently, and each receives exactly its own signals in order`, {
  timeout: 300_000,
}, async () => {
  const rowan = await calls.staff();
  const rooms: {
    id: string;
    patient: CallSeatView;
    staff: CallSeatView;
  }[] = [];
  for (let n = 0; n < ROOMS; n += 1) {
    const { id, token } = await calls.makeAppointment();
    // The endpoint is rate limited per IP address, so the procedure is called directly.
    const patient = await createCaller(asVisitor(calls.servicesAt.one, calls.tenant.id)).visits.enter({ token });
    const staff = await rowan.at('two').visits.enterAsStaff({ id });
    await rowan.at('two').visits.admit({ id });
    rooms.push({ id, patient, staff });
  }
  const pages = await Promise.all(
    rooms.map(async ({ patient, staff }) => ({
      patient: await calls.one.follow(patient),
      staff: await calls.two.follow(staff),
    })),
  );
  for (const { patient, staff } of pages)
    for (const page of [patient, staff])
      await expect.poll(page.room, { timeout: 20_000 }).toMatchObject({ state: 'open' });

  const [cpu, began] = [process.cpuUsage(), performance.now()];
  const tookMs = await Promise.all(
    rooms.map(async ({ patient, staff }, n) => {
      const since = performance.now();
      const say = async (client: Calls['one'], from: typeof patient, to: typeof patient, type: 'offer' | 'answer') => {
        expect((await client.send(from, to.seat_id, { ...DESCRIPTION, type, sdp: `room ${n}` })).status).toBe(204);
        for (let c = 0; c < CANDIDATES; c += 1)
          expect((await client.send(from, to.seat_id, candidate(`candidate:${n}.${c}`))).status).toBe(204);
      };
      await Promise.all([say(calls.two, staff, patient, 'offer'), say(calls.one, patient, staff, 'answer')]);
      const { patient: a, staff: b } = pages[n]!;
      while (Math.min(a.count(), b.count()) <= CANDIDATES) await pause(25);
      return performance.now() - since;
    }),
  );
  const cpuUsed = process.cpuUsage(cpu);
  for (const [n, { patient, staff }] of pages.entries()) {
    const all = [`room ${n}`, ...Array.from({ length: CANDIDATES }, (_, c) => `candidate:${n}.${c}`)];
    for (const [page, from] of [
      [patient, rooms[n]!.staff],
      [staff, rooms[n]!.patient],
    ] as const) {
      const received = page.signals();
      const texts = received.map(({ signal }) =>
        'sdp' in signal ? signal.sdp : 'candidate' in signal && signal.candidate,
      );
      expect(texts).toEqual(all);
      expect(received.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
      expect(new Set(received.map(({ from_seat_id }) => from_seat_id))).toEqual(new Set([from.seat_id]));
    }
  }
  const sorted = tookMs.sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (ROOMS - 1))]!);
  console.info(
    `${ROOMS} rooms, ${2 * ROOMS * (CANDIDATES + 1)} signals, both processes and all pages in one: median ${at(0.5)} ms, ` +
      `p95 ${at(0.95)} ms a room, ${Math.round(performance.now() - began)} ms in all, ` +
      `${Math.round((cpuUsed.user + cpuUsed.system) / 1000)} ms of CPU, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
  );
  for (const { patient, staff } of pages) await Promise.all([patient.leave(), staff.leave()]);
});
