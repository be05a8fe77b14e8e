import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AvailabilityView } from '#contract/availability.ts';
import type { Sandbox } from '#dev/testing/clinic.ts';
import { findBookingViolations } from '#dev/testing/invariants/bookings.ts';
import type { RestClient, RestResponse } from '#dev/testing/rest-client.ts';
import { startTwoProcesses, type TwoProcesses } from '#dev/testing/two-processes.ts';
import { newId } from '#server/core/ids.ts';

/** `PROVE=1` runs the long form. */
const LONG = process.env.PROVE === '1';
const ROUNDS = LONG ? { 32: 100, 128: 100, processes: 100, pairs: 50 } : { 32: 1, 128: 0, processes: 1, pairs: 2 };

let clinic: Sandbox;
let two: TwoProcesses;
let servers: RestClient[];
let token: string;
let typeId: number;
let free: AvailabilityView[];

beforeAll(async () => {
  two = await startTwoProcesses();
  ({ clinic, clients: servers, token, typeId } = two);
  free = [];
  for (let week = 1; week <= (LONG ? 10 : 1); week += 1) free.push(...(await available(week * 7)));
});
afterAll(async () => {
  await two?.stop();
});
afterEach(async () => expect(await findBookingViolations(clinic)).toEqual([]));

const post = (path: string, body: object, serverIndex = 0): Promise<RestResponse> =>
  servers[serverIndex]!.call({ method: 'POST', path, token, body });
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
async function available(daysAhead: number): Promise<AvailabilityView[]> {
  const path = `/availability?appointment_type_id=${typeId}&from_date=${dayIn(daysAhead)}`;
  return (await servers[0]!.call({ method: 'GET', path, token })).body;
}
const takeFree = () => free.shift()!;
/**
 * Each request is for another patient: one patient cannot hold two appointments at a time, and equal requests return
 * one booking.
 */
async function makeRacers(racers: number): Promise<string[]> {
  const ids = Array.from({ length: racers }, () => newId());
  const { db, tenantId } = clinic.ctx;
  await db.patient.createMany({
    data: ids.map((id) => ({ id, tenantId, firstName: 'Racer', email: `${id}@example.test` })),
  });
  return ids;
}
const bookFor = (patient_id: string, { from_date, calendar_id }: AvailabilityView, serverIndex = 0) =>
  post(
    '/appointments',
    { patient_id, appointment_type_id: typeId, from_date, calendar_id },
    serverIndex % servers.length,
  );
const book = async (slot: AvailabilityView, serverIndex = 0) => bookFor((await makeRacers(1))[0]!, slot, serverIndex);
const booked = async (slot: AvailabilityView): Promise<string> => {
  const response = await book(slot);
  expect(response.status, JSON.stringify({ slot, body: response.body })).toBe(201);
  return response.body.id;
};
const move = (id: string, { from_date }: AvailabilityView, serverIndex = 0) =>
  post(`/appointments/${id}/reschedule`, { from_date }, serverIndex);
const cancel = (id: string, serverIndex = 0) => post(`/appointments/${id}/cancel`, {}, serverIndex);
const count = (responses: RestResponse[], status: number) =>
  responses.filter((response) => response.status === status).length;
const codes = (responses: RestResponse[]) =>
  responses.flatMap(({ body, status }) => (status < 400 ? [] : body.errors[0].code)).filter((code) => code);

async function raceForOneSlot(racers: number, serversUsed: 1 | 2): Promise<void> {
  const slot = takeFree();
  const patients = await makeRacers(racers);
  const responses = await Promise.all(
    patients.map((patient, racer) => bookFor(patient, slot, serversUsed === 1 ? 0 : racer)),
  );
  expect({ created: count(responses, 201), refused: count(responses, 409) }).toEqual({
    created: 1,
    refused: racers - 1,
  });
  expect(new Set(codes(responses))).toEqual(new Set(['slot_taken']));
  const late = await book(slot);
  expect(late.status).toBe(409);
}

describe('concurrent bookings of one slot', () => {
  test.each(LONG ? ([32, 128] as const) : ([32] as const))(
    '%i callers: one books it, the others get slot_taken',
    { timeout: 600_000 },
    async (racers) => {
      for (let round = 0; round < ROUNDS[racers]; round += 1) await raceForOneSlot(racers, 1);
    },
  );

  test('through two processes on one database: one caller books it', { timeout: 600_000 }, async () => {
    for (let round = 0; round < ROUNDS.processes; round += 1) await raceForOneSlot(32, 2);
  });
});

describe('concurrent changes', { timeout: 600_000 }, () => {
  const rounds = async (race: () => Promise<RestResponse[]>) => {
    for (let round = 0; round < ROUNDS.pairs; round += 1) {
      const responses = await race();
      expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
    }
  };

  test('a reschedule and bookings to one slot: at most one succeeds', () =>
    rounds(async () => {
      const [from, to] = [takeFree(), takeFree()];
      const id = await booked(from);
      const onSame = { ...to, calendar_id: from.calendar_id };
      // Calendars return one instant in their own zones; later tests must not use the slot that this test races for.
      const at = Date.parse(onSame.from_date);
      free = free.filter((slot) => Date.parse(slot.from_date) !== at || slot.calendar_id !== onSame.calendar_id);
      const responses = await Promise.all([move(id, onSame), book(onSame, 1), book(onSame, 2), book(onSame, 3)]);
      expect(responses.filter(({ status }) => status < 300).length).toBeLessThanOrEqual(1);
      return responses;
    }));

  test('two appointments rescheduled to one slot: one succeeds, the other keeps its slot', () =>
    rounds(async () => {
      const calendar = free[0]!.calendar_id;
      const [a, b, to] = [0, 1, 2].map(
        () =>
          free.splice(
            free.findIndex((s) => s.calendar_id === calendar),
            1,
          )[0]!,
      );
      const ids = [await booked(a!), await booked(b!)];
      const responses = await Promise.all(ids.map((id, serverIndex) => move(id, to!, serverIndex)));
      expect([count(responses, 200), count(responses, 409)]).toEqual([1, 1]);
      return responses;
    }));

  test('one appointment rescheduled to several slots at once: it ends at one of them', () =>
    rounds(async () => {
      const calendar = free[0]!.calendar_id;
      const slots = [0, 1, 2, 3].map(
        () =>
          free.splice(
            free.findIndex((s) => s.calendar_id === calendar),
            1,
          )[0]!,
      );
      const id = await booked(slots[0]!);
      const responses = await Promise.all(slots.slice(1).map((slot, index) => move(id, slot, index % 2)));
      expect(count(responses, 200)).toBeGreaterThanOrEqual(1);
      expect(codes(responses).every((code) => code === 'conflict')).toBe(true);
      return responses;
    }));

  test('a cancellation and a reschedule: it ends canceled, and both slots are free', () =>
    rounds(async () => {
      const calendar = free[0]!.calendar_id;
      const [from, to] = [0, 1].map(
        () =>
          free.splice(
            free.findIndex((s) => s.calendar_id === calendar),
            1,
          )[0]!,
      );
      const id = await booked(from!);
      const responses = await Promise.all([move(id, to!), cancel(id, 1)]);
      expect(responses[1]!.status).toBe(200);
      const { body } = await servers[0]!.call({ method: 'GET', path: `/appointments/${id}`, token });
      expect(body.status).toBe('canceled');
      expect((await book(from!)).status).toBe(201);
      expect((await book(to!)).status).toBe(201);
      return responses;
    }));

  test('concurrent cancellations return the same response', () =>
    rounds(async () => {
      const id = await booked(takeFree());
      const responses = await Promise.all([0, 1, 0, 1].map((serverIndex) => cancel(id, serverIndex)));
      expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await clinic.ctx.db.event.count({ where: { objectId: id, eventTopic: 'canceled' } })).toBe(1);
      return responses;
    }));

  test('a cancellation and bookings of its slot: at most one booking', () =>
    rounds(async () => {
      const slot = takeFree();
      const id = await booked(slot);
      const responses = await Promise.all([cancel(id), book(slot, 1), book(slot, 2), book(slot, 3)]);
      expect(responses[0]!.status).toBe(200);
      expect(count(responses, 201)).toBeLessThanOrEqual(1);
      return responses;
    }));
});
