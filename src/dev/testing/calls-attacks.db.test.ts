import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#server/core/ids.ts';
import { assertRateLimit } from '#server/core/rate-limiter.ts';
import { createCaller } from '#server/router.ts';
import { parseSeatKey } from '#server/visits/seated/find-seat.ts';
import { asApplication, asPatient, asPractitioner, makeTenant } from './actors.ts';
import { type Calls, candidate, DESCRIPTION, withCalls } from './calls.ts';
import { withClinic } from './clinic.ts';

/** `PROVE=1` sends all requests; the short form presets the rate limit's counter and sends only the last ones. */
const LONG = Boolean(process.env.PROVE);
const SENT_BEFORE = LONG ? 0 : 290;
const SENT = LONG ? 1000 : 40;

let calls: Calls;
beforeAll(async () => {
  calls = await withCalls(await withClinic());
});
afterAll(() => calls?.stop());

async function openCall() {
  const visit = await calls.makeAppointment();
  const rowan = await calls.staff();
  const patient = await calls.enter(visit.token);
  const seat = await rowan.at('two').visits.enterAsStaff({ id: visit.id });
  await rowan.at('two').visits.admit({ id: visit.id });
  return { visit, rowan, patient, seat };
}
const storedSignals = (toSeatId: string) => calls.db.visitSignal.count({ where: { toSeatId } });

test('rejects requests without a valid seat key', async () => {
  const { patient, seat } = await openCall();
  const [tenant, random] = patient.key.split('.');
  const other = await makeTenant(calls.services);
  const otherPrefix = Buffer.from(other.id.replaceAll('-', ''), 'hex').toString('base64url');
  const keys = [
    null,
    '',
    'x',
    `${tenant}.`,
    `${tenant}.${'A'.repeat(32)}`,
    `${otherPrefix}.${random}`,
    `${patient.key}.a`,
  ];
  for (const key of [...keys, patient.seat_id, `${patient.key} ${patient.key}`])
    for (const name of ['signal', 'report', 'leave']) {
      const body = { id: newId(), to_seat_id: seat.seat_id, signal: DESCRIPTION };
      expect([key, name, (await calls.one.post(name, body, key)).status]).toEqual([key, name, 401]);
    }
  const stream = (headers: Record<string, string>) => fetch(`${calls.servers.one.url}/api/calls/stream`, { headers });
  expect((await stream({})).status).toBe(401);
  expect((await stream({ authorization: `Basic ${patient.key}` })).status).toBe(401);
  expect((await stream({ authorization: `Bearer ${patient.key}`, 'last-event-id': '1e9' })).status).toBe(422);
  expect((await stream({ authorization: `Bearer ${patient.key}`, 'last-event-id': '-1' })).status).toBe(422);
  expect(await storedSignals(seat.seat_id)).toBe(0);
});

test('a seat can signal only the other seat of its own room', async () => {
  const [one, two] = [await openCall(), await openCall()];
  const waiting = await calls.makeAppointment();
  const unadmitted = await calls.enter(waiting.token);
  for (const to of [two.seat.seat_id, two.patient.seat_id, one.patient.seat_id, unadmitted.seat_id, newId()])
    expect((await calls.one.send(one.patient, to, DESCRIPTION)).error).toMatchObject({ code: 'conflict' });
  expect((await calls.one.send(unadmitted, one.seat.seat_id, DESCRIPTION)).status).toBe(409);
  expect(await calls.db.visitSignal.count()).toBe(0);
});

test('a repeated signal is stored once, and a seat that was left accepts no more', async () => {
  const { visit, patient, seat } = await openCall();
  const id = newId();
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, n) => calls[n % 2 ? 'one' : 'two'].send(seat, patient.seat_id, DESCRIPTION, id)),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
  expect(await storedSignals(patient.seat_id)).toBe(1);
  const reentered = await calls.enter(visit.token, { hold: patient.hold });
  expect((await calls.one.send(patient, seat.seat_id, DESCRIPTION)).status).toBe(409);
  expect((await calls.two.send(seat, patient.seat_id, DESCRIPTION)).error).toMatchObject({ meta: { gone: true } });
  // The new seat has its own id space, and signals to the former seat are deleted.
  expect((await calls.two.send(seat, reentered.seat_id, DESCRIPTION, id)).status).toBe(204);
  expect([await storedSignals(patient.seat_id), await storedSignals(reentered.seat_id)]).toEqual([0, 1]);
});

test('rejects oversized and malformed signals and stores none of them', async () => {
  const { patient, seat } = await openCall();
  const send = async (body: object | string, type = 'application/json') => {
    const response = await fetch(`${calls.servers.one.url}/api/calls/signal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${seat.key}`, 'content-type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  const to = { id: newId(), to_seat_id: patient.seat_id };
  const description = { kind: 'description', type: 'offer' };
  expect(await send({ ...to, signal: { ...description, sdp: 'a'.repeat(32 * 1024 + 1) } })).toBe(422);
  expect(await send({ ...to, signal: { ...description, sdp: 'a'.repeat(70_000) } })).toBe(413);
  expect(await send('{')).toBe(400);
  expect(await send('[]')).toBe(400);
  expect(await send({ ...to, signal: DESCRIPTION }, 'text/plain')).toBe(415);
  const wrong = [
    { ...to },
    { ...to, signal: null },
    { ...to, signal: { ...DESCRIPTION, more: 1 } },
    { ...to, signal: { ...DESCRIPTION, type: 'pranswer' } },
    { ...to, signal: { kind: 'chat', text: 'hello' } },
    { ...to, signal: DESCRIPTION, from_seat_id: patient.seat_id },
    { ...to, id: 'x', signal: DESCRIPTION },
    { ...to, signal: candidate('a'.repeat(2001)) },
    { ...to, signal: { ...candidate('a'), sdp_m_line_index: -1 } },
    { ...to, signal: { kind: 'commit', hash: 'A'.repeat(64) } },
    { ...to, signal: { kind: 'reveal', nonce: 'a'.repeat(64), fingerprints: Array(9).fill('a') } },
    { ...to, signal: { ...description, sdp: 'v=0\u0000' } },
  ];
  for (const body of wrong) expect([body, await send(body)]).toEqual([body, 422]);
  expect(await storedSignals(patient.seat_id)).toBe(0);
  for (const path of ['signal/', 'toString', 'stream/x', ''])
    expect((await calls.one.post(path, {}, seat.key)).status).toBe(404);
  expect((await calls.one.post('stream', {}, seat.key)).status).toBe(405);
});

test('limits a seat to 300 signals a minute without affecting other seats', { timeout: 60_000 }, async () => {
  const [loud, calm] = [await openCall(), await openCall()];
  const page = await calls.one.follow(calm.patient);
  const { keyHash } = parseSeatKey(calls.servicesAt.one, `Bearer ${loud.seat.key}`);
  const key = [Buffer.from(keyHash).toString('base64url')];
  for (let n = 0; n < SENT_BEFORE; n++) assertRateLimit(calls.servicesAt.one, { name: 'visit_signals', key });
  const statuses = await Promise.all(
    Array.from({ length: SENT }, async (_, n) => {
      const at = n % 2 ? calls.one : calls.two;
      return (await at.send(loud.seat, loud.patient.seat_id, candidate(`candidate:${n}`))).status;
    }),
  );
  const accepted = statuses.filter((status) => status === 204).length;
  expect(new Set(statuses)).toEqual(new Set([204, 429]));
  expect(accepted).toBe(await storedSignals(loud.patient.seat_id));
  // The limit is 300 a minute; each of two processes may lag behind the other's counter by half a second.
  expect(SENT_BEFORE + accepted).toBeLessThanOrEqual(LONG ? 500 : 320);
  expect(SENT_BEFORE + accepted).toBeGreaterThanOrEqual(300);
  expect((await calls.two.send(calm.seat, calm.patient.seat_id, DESCRIPTION)).status).toBe(204);
  await expect.poll(() => page.signals().length).toBe(1);
  await page.leave();
});

test('one of many concurrent requests gets the seat, and one page follows a seat', { timeout: 60_000 }, async () => {
  const { token, id } = await calls.makeAppointment();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, n) => calls.link('visits.enter', { token }, n % 2 ? 'one' : 'two')),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
  expect(await calls.db.visitSeat.count({ where: { appointmentId: id, leftAt: null } })).toBe(1);
  const seat = responses.find(({ status }) => status === 200)!.body;
  const pages = [];
  for (let n = 0; n < 5; n += 1) pages.push(await calls.one.follow(seat));
  for (const page of pages.slice(0, -1)) await page.ended;
  expect(pages.at(-1)!.received.isOver).toBe(false);
  await pages.at(-1)!.leave();
  await expect.poll(() => calls.servicesAt.one.calls.size()).toBe(0);
});

test('a visit of another clinic or a malformed link returns not_found', async () => {
  const { visit, rowan } = await openCall();
  const other = await makeTenant(calls.services);
  const [, random] = visit.token.split('.');
  const otherPrefix = Buffer.from(other.id.replaceAll('-', ''), 'hex').toString('base64url');
  for (const token of [`${otherPrefix}.${random}`, `${visit.token}x`, 'x', `.${random}`, visit.id])
    for (const name of ['visits.open', 'visits.enter'])
      expect([token, (await calls.link(name, { token })).status]).toEqual([token, 404]);
  const otherTenant = createCaller(asPractitioner(calls.services, other)).visits;
  const code = (call: Promise<unknown>) => call.then(() => null).catch((error) => error.cause?.code);
  const verbs = ['enterAsStaff', 'admit', 'endCall', 'newLink', 'showCall'] as const;
  for (const verb of verbs)
    expect([verb, await code(otherTenant[verb]({ id: visit.id }))]).toEqual([verb, 'not_found']);
  expect(await otherTenant.waiting()).toEqual([]);
  expect(await otherTenant.attendance({ ids: [visit.id] })).toEqual([]);
  for (const actor of [
    asApplication(calls.services, calls.tenant),
    asPatient(calls.services, calls.tenant, visit.patientId),
  ])
    for (const verb of verbs) expect(await code(createCaller(actor).visits[verb]({ id: visit.id }))).toBe('forbidden');
  expect(await code(rowan.at('one').visits.setCheck({ check: 'none' }))).toBe('forbidden');
  expect(await code(rowan.at('one').visits.enter({ token: visit.token }))).toBe('forbidden');
});

test('the database holds no seat key, tab secret or signal in plain text', async () => {
  const { patient, seat } = await openCall();
  await calls.two.send(seat, patient.seat_id, candidate('candidate:canary 192.0.2.77'));
  const rows = await calls.db.$queryRaw<{ text: string }[]>`
    select encode(body, 'escape') as text from visit_signals union all
    select encode(key_hash, 'escape') from visit_seats where key_hash is not null
    union all select encode(hold_hash, 'escape') from visit_seats where hold_hash is not null`;
  const text = rows.map((row) => row.text).join('\n');
  expect(text).not.toContain('canary');
  for (const { key } of [patient, seat]) expect(text).not.toContain(key.split('.')[1]);
  expect(text).not.toContain(patient.hold);
});
