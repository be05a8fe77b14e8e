import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AvailabilityView } from '#contract/availability.ts';
import { startWorker } from '#jobs/worker.ts';
import { newId } from '#server/core/ids.ts';
import type { Sandbox } from './clinic.ts';
import { findBookingViolations } from './invariants/bookings.ts';
import type { RestClient, RestResponse } from './rest-client.ts';
import { ACCOUNT } from './scheduling.ts';
import { startTwoProcesses, type TwoProcesses } from './two-processes.ts';

/** `PROVE=1` runs the long form. */
const LONG = process.env.PROVE === '1';
const SIZES = LONG ? [2, 8, 32, 128] : [4];
const ROUNDS = LONG ? 100 : 1;
/** Appointments that are rescheduled in turn, so that concurrent reschedules of one meet too. */
const MOVED = LONG ? 4 : 2;
const HOUR = 3_600_000;

const ACTIONS = ['book', 'move', 'cancel', 'book at Acuity'] as const;
type Action = (typeof ACTIONS)[number];
const PAIRS = ACTIONS.flatMap((one, n) => ACTIONS.slice(n).map((other): [Action, Action] => [one, other]));

let clinic: Sandbox;
let two: TwoProcesses;
let stopWorker: () => Promise<void>;
let servers: RestClient[];
let token: string;
let typeId: number;
let calendarId: number;
let patients: string[];
let free: AvailabilityView[];

beforeAll(async () => {
  two = await startTwoProcesses();
  ({ clinic, clients: servers, token, typeId } = two);
  patients = Array.from({ length: Math.max(...SIZES) + MOVED + 1 }, () => newId());
  const { db, tenantId } = clinic.ctx;
  await db.patient.createMany({
    data: patients.map((id) => ({ id, tenantId, firstName: 'Racer', email: `${id}@example.test` })),
  });
  free = await timesApart();
  await hire();
});
afterAll(async () => {
  await stopWorker?.();
  await two?.stop();
});

/** Under this load the worker may miss its heartbeat and stop; it is restarted, as an operator's supervisor does. */
async function hire(): Promise<void> {
  stopWorker = await startWorker(clinic.services, () => void hire());
}

/** Returns slots of one calendar, at least an hour apart. */
async function timesApart(): Promise<AvailabilityView[]> {
  const apart: AvailabilityView[] = [];
  for (let week = 1; apart.length < ROUNDS + MOVED; week += 1) {
    const from = new Date(Date.now() + week * 7 * 24 * HOUR).toISOString().slice(0, 10);
    const path = `/availability?appointment_type_id=${typeId}&from_date=${from}`;
    const times: AvailabilityView[] = (await servers[0]!.call({ method: 'GET', path, token })).body;
    calendarId ??= times[0]!.calendar_id;
    for (const time of times.filter(({ calendar_id }) => calendar_id === calendarId))
      if (Date.parse(time.from_date) >= Date.parse(apart.at(-1)?.to_date ?? '1970-01-01') + HOUR) apart.push(time);
    if (times.length === 0 || week > 8) throw new Error(`there are but ${apart.length} free times`);
  }
  return apart;
}

const post = (path: string, body: object, serverIndex: number): Promise<RestResponse> =>
  servers[serverIndex % servers.length]!.call({ method: 'POST', path, token, body });
const book = (patient_id: string, { from_date }: AvailabilityView, serverIndex = 0) =>
  post('/appointments', { patient_id, appointment_type_id: typeId, from_date, calendar_id: calendarId }, serverIndex);
const move = (id: string, { from_date }: AvailabilityView, serverIndex = 0) =>
  post(`/appointments/${id}/reschedule`, { from_date }, serverIndex);
const cancel = (id: string, serverIndex = 0) => post(`/appointments/${id}/cancel`, {}, serverIndex);

/** Books on Acuity's own scheduling page. */
async function bookAtAcuity(patientId: string, { from_date }: AvailabilityView): Promise<RestResponse> {
  const response = await fetch(`${clinic.acuity.url}/appointments`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${ACCOUNT.user_id}:${ACCOUNT.api_key}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      ...{ datetime: from_date, appointmentTypeID: typeId, calendarID: calendarId },
      ...{ firstName: 'Racer', lastName: 'Example', email: `${patientId}@example.test` },
    }),
  });
  const body = (await response.json()) as { error?: string };
  if (response.status >= 400) expect(body.error).toBe('not_available');
  return { status: response.status, body, headers: {} };
}

async function booked(patient: string, time: AvailabilityView): Promise<string> {
  const response = await book(patient, time);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.id;
}

/** The number of live appointments that Acuity has at that time. */
function heldAt({ from_date }: AvailabilityView): number {
  const [account] = Object.values(clinic.acuity.emulator.world.state.accounts);
  const at = Date.parse(from_date);
  return account!.appointments.filter(
    (one) => !one.canceled && one.calendarId === calendarId && new Date(one.startAt).getTime() === at,
  ).length;
}

/** Runs the two actions concurrently and alternately, through both processes, on one slot. */
async function race(
  pair: [Action, Action],
  racers: number,
  time: AvailabilityView,
  appointments: string[],
  homes: AvailabilityView[],
) {
  const canceled = pair.includes('cancel') ? await booked(patients.at(-1)!, time) : null;
  const actions: Record<Action, (n: number) => Promise<RestResponse>> = {
    book: (n) => book(patients[n]!, time, n >> 1),
    move: (n) => move(appointments[(n >> 1) % MOVED]!, time, n >> 1),
    cancel: (n) => cancel(canceled!, n >> 1),
    'book at Acuity': (n) => bookAtAcuity(patients[n]!, time),
  };
  const responses = await Promise.all(
    Array.from({ length: racers }, async (_, n) => ({ deed: pair[n % 2]!, ...(await actions[pair[n % 2]!](n)) })),
  );
  const unexpected = responses.filter(({ deed, status }) =>
    deed === 'cancel' ? status !== 200 : ![200, 201, deed === 'book at Acuity' ? 400 : 409].includes(status),
  );
  expect(unexpected.map(({ deed, status, body }) => `${deed}: ${status} ${JSON.stringify(body)}`)).toEqual([]);
  if (canceled === null) expect(heldAt(time), 'a contested free slot').toBe(1);
  else expect(heldAt(time)).toBeLessThanOrEqual(1);
  for (const [n, appointment] of appointments.entries()) {
    const { body } = await servers[0]!.call({ method: 'GET', path: `/appointments/${appointment}`, token });
    if (Date.parse(body.from_date) === Date.parse(time.from_date))
      expect((await move(appointment, homes[n]!)).status).toBe(200);
  }
}

/** Cancels everything for the next case. */
async function clear(): Promise<void> {
  const live = await clinic.ctx.db.appointment.findMany({ where: { status: 'scheduled' }, select: { id: true } });
  for (const { id } of live) expect((await cancel(id)).status).toBe(200);
  await expect.poll(() => findBookingViolations(clinic), { timeout: 30_000, interval: 200 }).toEqual([]);
}

const CASES = PAIRS.flatMap((pair) => SIZES.map((racers) => ({ name: pair.join(' and '), pair, racers })));

test.each(CASES)(
  '$name, $racers at once: one gets the slot and both sides agree',
  { timeout: 1_800_000 },
  async ({ pair, racers }) => {
    token = await two.newToken();
    const homes = free.slice(0, MOVED);
    const movers = patients.slice(-1 - MOVED, -1);
    const appointments = pair.includes('move')
      ? await Promise.all(homes.map((home, n) => booked(movers[n]!, home)))
      : [];
    for (let round = 0; round < ROUNDS; round += 1) await race(pair, racers, free[MOVED + round]!, appointments, homes);
    // Webhooks arrive a moment later.
    await expect.poll(() => findBookingViolations(clinic), { timeout: 60_000, interval: 200 }).toEqual([]);
    await clear();
  },
);

test('no deadlocks occurred', async () => {
  const [row] = await clinic.ctx.db.$queryRaw<{ deadlocks: bigint }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`;
  expect(Number(row!.deadlocks)).toBe(0);
});
