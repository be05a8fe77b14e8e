import { afterAll, beforeAll, expect, test } from 'vitest';
import { contextFor } from '#server/core/context.ts';
import { newToken } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { createCaller } from '#server/router.ts';
import { PRESENT_WITHIN_S } from '#server/visits/seat.ts';
import { asAdmin } from './actors.ts';
import { type Calls, candidate, DESCRIPTION, withCalls } from './calls.ts';
import { withClinic } from './clinic.ts';

let calls: Calls;
beforeAll(async () => {
  calls = await withCalls(await withClinic());
});
afterAll(() => calls?.stop());

test('a patient waits and is admitted, and both sides signal through different processes', async () => {
  const visit = await calls.makeAppointment();
  const rowan = await calls.staff();
  const patient = await calls.enter(visit.token);
  expect(patient).toMatchObject({ side: 'patient', ice_servers: [] });
  const waiting = await calls.one.follow(patient);
  await expect.poll(waiting.room).toMatchObject({ state: 'waiting', other: 'absent', other_seat_id: null });
  const seat = await rowan.at('two').visits.enterAsStaff({ id: visit.id });
  const room = await calls.two.follow(seat);
  await expect.poll(waiting.room).toMatchObject({ other: 'here', other_seat_id: seat.seat_id });
  await expect.poll(room.room).toMatchObject({ state: 'waiting', other: 'here', other_seat_id: patient.seat_id });
  expect((await calls.one.send(patient, seat.seat_id, DESCRIPTION)).error).toMatchObject({ code: 'conflict' });

  await rowan.at('two').visits.admit({ id: visit.id });
  await expect.poll(waiting.room).toMatchObject({ state: 'open' });
  await expect.poll(room.room).toMatchObject({ state: 'open' });
  expect((await calls.two.send(seat, patient.seat_id, DESCRIPTION)).status).toBe(204);
  for (const n of [1, 2, 3]) await calls.two.send(seat, patient.seat_id, candidate(`candidate:${n}`));
  await expect.poll(() => waiting.signals().length).toBe(4);
  expect(waiting.signals().map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(waiting.signals()[0]).toMatchObject({ from_seat_id: seat.seat_id, signal: DESCRIPTION });
  expect((await calls.one.send(patient, seat.seat_id, { ...DESCRIPTION, type: 'answer' })).status).toBe(204);
  await expect.poll(room.signals).toMatchObject([{ seq: 1, from_seat_id: patient.seat_id }]);

  expect((await calls.one.post('leave', {}, patient.key)).status).toBe(204);
  await expect.poll(room.room).toMatchObject({ state: 'waiting', other: 'absent' });
  await waiting.ended;
  expect(waiting.room()).toMatchObject({ state: 'closed' });
  await rowan.at('one').visits.endCall({ id: visit.id });
  await room.ended;
  expect(room.room()).toMatchObject({ state: 'over' });
  expect(await calls.db.visitSignal.count()).toBe(0);
});

/** Opens a call: both sides are present and the patient is admitted. */
async function openCall(more: Parameters<Calls['makeAppointment']>[0] = {}) {
  const visit = await calls.makeAppointment(more);
  const rowan = await calls.staff();
  const patient = await calls.enter(visit.token);
  const seat = await rowan.at('two').visits.enterAsStaff({ id: visit.id });
  await rowan.at('two').visits.admit({ id: visit.id });
  return { visit, rowan, patient, seat };
}
/** Sets a seat's last heartbeat so many seconds back. */
const silence = (id: string, seconds: number) =>
  calls.db.$executeRaw`
    update visit_seats set heard_at = heard_at - ${seconds}::int * interval '1 second' where id = ${id}::uuid`;

test('a page that reconnects to another process resumes after its last signal', async () => {
  const { patient, seat } = await openCall();
  for (const n of [1, 2, 3, 4]) await calls.two.send(seat, patient.seat_id, candidate(`candidate:${n}`));
  const first = await calls.one.follow(patient);
  await expect.poll(() => first.signals().length).toBe(4);
  await first.leave();
  const reconnected = await calls.two.follow(patient, 2);
  await expect.poll(() => reconnected.signals().map(({ seq }) => seq)).toEqual([3, 4]);
  expect(reconnected.received.text).toContain('id: 4\n');
  await reconnected.leave();
});

test('a disconnected page is reported as away at once, and as here when it is back', async () => {
  const { patient, seat } = await openCall();
  const room = await calls.two.follow(seat);
  const page = await calls.one.follow(patient);
  await expect.poll(room.room).toMatchObject({ other: 'here' });
  await page.leave();
  await expect.poll(room.room, { timeout: 3_000 }).toMatchObject({ state: 'open', other: 'away' });
  const reconnected = await calls.two.follow(patient);
  await expect.poll(room.room).toMatchObject({ state: 'open', other: 'here', other_seat_id: patient.seat_id });
  for (const one of [room, reconnected]) await one.leave();
});

test('a page that sends no heartbeat is away although its connection is open', { timeout: 60_000 }, async () => {
  const { patient, seat } = await openCall();
  const room = await calls.two.follow(seat);
  const page = await calls.one.hold(patient);
  await expect.poll(room.room).toMatchObject({ other: 'here' });
  await silence(patient.seat_id, PRESENT_WITHIN_S);
  await expect.poll(room.room, { timeout: 30_000 }).toMatchObject({ other: 'away' });
  expect(page.received.isOver).toBe(false);
  expect((await calls.one.post('here', {}, patient.key)).status).toBe(204);
  await expect.poll(room.room, { timeout: 10_000 }).toMatchObject({ other: 'here' });
  for (const one of [page, room]) await one.leave();
});

test('a reload keeps its place in the waiting room, and leaving and returning starts the wait again', async () => {
  const visit = await calls.makeAppointment();
  const rowan = await calls.staff();
  const since = async () =>
    (await rowan.at('two').visits.waiting()).find(({ appointment_id }) => appointment_id === visit.id)?.waiting_since;
  const first = await calls.enter(visit.token);
  const begun = await since();
  const reentered = await calls.enter(visit.token, { hold: first.hold });
  expect(await since()).toBe(begun);
  await calls.one.post('leave', {}, reentered.key);
  await calls.enter(visit.token);
  expect(Date.parse((await since())!)).toBeGreaterThan(Date.parse(begun!));
});

test('a reload takes its seat over, and no other tab can', async () => {
  const { visit, patient, seat } = await openCall();
  const [page, room] = [await calls.one.follow(patient), await calls.two.follow(seat)];
  await calls.two.send(seat, patient.seat_id, DESCRIPTION);
  for (const more of [{}, { hold: newToken() }]) {
    const third = await calls.link('visits.enter', { token: visit.token, ...more }, 'two');
    expect([third.status, third.error]).toMatchObject([409, { code: 'conflict', meta: { state: 'taken' } }]);
  }
  const reentered = await calls.enter(visit.token, { hold: patient.hold }, 'two');
  await page.ended;
  expect(page.room()).toMatchObject({ state: 'taken' });
  await expect.poll(room.room).toMatchObject({ state: 'open', other_seat_id: reentered.seat_id });
  // Signals to the former seat are not delivered to the new one.
  const next = await calls.one.follow(reentered);
  await expect.poll(next.room).toMatchObject({ state: 'open' });
  expect(next.signals()).toEqual([]);
  for (const one of [next, room]) await one.leave();
});

test('a tab whose response was lost gets its seat back at once, any number of times', async () => {
  const visit = await calls.makeAppointment();
  const rowan = await calls.staff();
  const hold = newToken();
  // The tab never receives the first keys: it was reloaded or cut off before the response arrived.
  for (let n = 0; n < 3; n += 1)
    expect((await calls.link('visits.enter', { token: visit.token, hold })).status).toBe(200);
  await Promise.all((['one', 'two', 'one'] as const).map((side) => calls.enter(visit.token, { hold }, side)));
  expect(await calls.db.visitSeat.count({ where: { appointmentId: visit.id, leftAt: null } })).toBe(1);
  await rowan.at('two').visits.enterAsStaff({ id: visit.id });
  await rowan.at('two').visits.admit({ id: visit.id });
  const page = await calls.one.follow(await calls.enter(visit.token, { hold }));
  // An admitted patient stays admitted.
  await expect.poll(page.room).toMatchObject({ state: 'open' });
  await page.leave();
  for (const wrong of ['short', 'x'.repeat(65), `${newToken().slice(1)}!`, ''])
    expect((await calls.link('visits.enter', { token: visit.token, hold: wrong })).status).toBe(422);
});

test('when the patient is silent for a minute another tab may take the seat, and has to be admitted', async () => {
  const { visit, patient, seat } = await openCall();
  await silence(patient.seat_id, 61);
  const room = await calls.two.follow(seat);
  await expect.poll(room.room).toMatchObject({ state: 'waiting', other: 'absent', other_seat_id: null });
  const other = await calls.enter(visit.token);
  await expect.poll(room.room).toMatchObject({ state: 'waiting', other_seat_id: other.seat_id });
  expect((await calls.one.send(other, seat.seat_id, DESCRIPTION)).status).toBe(409);
  await room.leave();
});

test('a second practitioner gets a conflict, and the first may change pages', async () => {
  const { visit, rowan, seat } = await openCall();
  const alder = await calls.staff();
  const rejection = await alder
    .at('one')
    .visits.enterAsStaff({ id: visit.id })
    .catch((error) => error.cause);
  expect(rejection.faults).toMatchObject([{ code: 'conflict', meta: { state: 'taken' } }]);
  const admits = await alder
    .at('one')
    .visits.admit({ id: visit.id })
    .catch((error) => error.cause);
  expect(admits.faults).toMatchObject([{ code: 'conflict' }]);
  const room = await calls.two.follow(seat);
  const reentered = await rowan.at('one').visits.enterAsStaff({ id: visit.id });
  await room.ended;
  expect(room.room()).toMatchObject({ state: 'taken' });
  const next = await calls.one.follow(reentered);
  await expect.poll(next.room).toMatchObject({ state: 'open' });
  await next.leave();
});

test('a visit can be entered from 15 minutes before to 60 minutes after the appointment, unless it is canceled', async () => {
  const rejection = async (startsIn: number) => {
    const { token } = await calls.makeAppointment({ startsIn });
    return (await calls.link('visits.enter', { token })).error?.code ?? 'entered';
  };
  expect(await Promise.all([16, 14, -89, -91].map(rejection))).toEqual(['too_early', 'entered', 'entered', 'too_late']);
  const { id, token } = await calls.makeAppointment();
  await calls.db.appointment.updateMany({ where: { id }, data: { status: 'canceled' } });
  expect((await calls.link('visits.enter', { token })).error).toMatchObject({ code: 'already_canceled' });
});

test.each([
  ['canceled', { status: 'canceled' }, 'canceled'],
  // Noted as a no-show.
  ['changed', { status: 'no_show' }, 'closed'],
  ['rescheduled', { startAt: new Date(Date.now() + 86_400_000), endAt: new Date(Date.now() + 88_000_000) }, 'closed'],
] as const)('a visit that is %s notifies the room at once', async (topic, data, state) => {
  const { visit, patient } = await openCall();
  const page = await calls.one.follow(patient);
  await expect.poll(page.room).toMatchObject({ state: 'open' });
  const since = performance.now();
  const ctx = contextFor(calls.servicesAt.two, { kind: 'system', tenantId: calls.tenant.id, job: 'test' });
  await ctx.db.$transaction(async (tx) => {
    await tx.appointment.updateMany({ where: { id: visit.id }, data });
    const object = { type: 'Appointment', id: visit.id };
    await record(tx, ctx, {
      action: 'patients.update',
      object,
      patientId: visit.patientId,
      event: `appointment.${topic}`,
    });
  });
  await expect.poll(page.room).toMatchObject({ state });
  if (process.env.PROVE) expect(performance.now() - since).toBeLessThan(3_000);
  await page.leave();
});

test("a disabled staff user's page is closed", { timeout: 20_000 }, async () => {
  const { rowan, seat } = await openCall();
  const room = await calls.two.follow(seat);
  await calls.db.staffUser.updateMany({ where: { id: rowan.id }, data: { disabledAt: new Date() } });
  await room.ended;
  expect(room.room()).toMatchObject({ state: 'closed' });
});

test('the date-of-birth check does not reveal which part was wrong, and attempts are rate limited', async () => {
  const set = (check: 'none' | 'date_of_birth') =>
    createCaller(asAdmin(calls.services, calls.tenant)).visits.setCheck({ check });
  await set('date_of_birth');
  const born = await calls.makeAppointment({ birthDate: '1980-02-29' });
  const unknown = await calls.makeAppointment();
  expect((await calls.link('visits.open', { token: born.token })).body).toMatchObject({ asks: ['date_of_birth'] });
  const tried = async (token: string, date_of_birth?: string) => {
    const { status, error } = await calls.link('visits.enter', { token, ...(date_of_birth && { date_of_birth }) });
    return { status, error: { ...error, meta: error?.meta?.asks } };
  };
  const responses = [
    await tried(born.token),
    await tried(born.token, '1980-02-28'),
    await tried(unknown.token, '1980-02-29'),
  ];
  expect(responses[0]).toMatchObject({
    status: 403,
    error: { code: 'verification_required', meta: ['date_of_birth'] },
  });
  for (const response of responses) expect(response).toEqual(responses[0]);
  const seat = await calls.enter(born.token, { date_of_birth: '1980-02-29' });
  // A reload is not asked again; a tab with only the link, or with a seat that was left, is.
  const reentry = { token: born.token, hold: seat.hold };
  const reentered = await calls.link('visits.enter', reentry);
  expect(reentered.status).toBe(200);
  expect((await calls.link('visits.enter', { token: born.token, hold: newToken() })).status).toBe(403);
  await calls.one.post('leave', {}, reentered.body.key);
  expect((await calls.link('visits.enter', reentry)).status).toBe(403);
  const rowan = await calls.staff();
  const lacks = async ({ id }: { id: string }) => (await rowan.at('one').appointments.show({ id })).lacks_date_of_birth;
  expect([await lacks(born), await lacks(unknown)]).toEqual([false, true]);
  // An external video page does not run this check.
  const own = asAdmin(calls.services, calls.tenant);
  const config = { ...own.config, videoBaseUrl: 'https://video.example.test' };
  const elsewhere = createCaller({ ...own, config });
  expect(await elsewhere.visits.getCheck({})).toEqual({ check: 'date_of_birth', is_own_room: false });
  expect((await elsewhere.appointments.show({ id: unknown.id })).lacks_date_of_birth).toBe(false);
  for (let n = 0; n < 7; n += 1) await tried(unknown.token, `1990-01-0${n + 1}`);
  expect(await tried(unknown.token, '1990-02-01')).toMatchObject({ status: 429 });
  expect(await set('none')).toEqual({ check: 'none', is_own_room: true });
  expect(await lacks(unknown), 'no check is configured').toBe(false);
});

test('the waiting list is in order of the appointments, and patients see how many are before them', async () => {
  const alder = await calls.staff();
  const [late, early, elsewhere] = [
    await calls.makeAppointment({ startsIn: 10, calendarId: 12 }),
    await calls.makeAppointment({ startsIn: -40, calendarId: 12 }),
    await calls.makeAppointment({ startsIn: 0, calendarId: 13 }),
  ];
  const seats = { late: await calls.enter(late.token), early: await calls.enter(early.token, {}, 'two') };
  await calls.enter(elsewhere.token);
  const ids = [early.id, elsewhere.id, late.id];
  const waiting = async () => {
    const all = await alder.at('two').visits.waiting();
    return all.filter(({ appointment_id }) => ids.includes(appointment_id));
  };
  expect((await waiting()).map(({ appointment_id }) => appointment_id)).toEqual(ids);
  expect((await waiting())[0]).toMatchObject({ patient_name: 'Ada Example', is_away: false });
  const page = await calls.one.follow(seats.late);
  await expect.poll(page.room).toMatchObject({ before_you: 1, delay_minutes: null });
  await alder.at('one').visits.enterAsStaff({ id: early.id });
  await alder.at('one').visits.admit({ id: early.id });
  await page.leave();
  const after = await calls.two.follow(seats.late);
  // The appointment before should have ended ten minutes ago.
  await expect.poll(after.room).toMatchObject({ before_you: 0, delay_minutes: 11 });
  expect((await waiting()).map(({ appointment_id }) => appointment_id)).toEqual([elsewhere.id, late.id]);
  await after.leave();
});

test('a replaced link stops working at once, and the page that entered by it is closed', async () => {
  const { visit, rowan, patient, seat } = await openCall();
  const [page, room] = [await calls.one.follow(patient), await calls.two.follow(seat)];
  await expect.poll(page.room).toMatchObject({ state: 'open' });
  const { video_call_url } = await rowan.at('two').visits.newLink({ id: visit.id });
  await page.ended;
  expect(page.room()).toMatchObject({ state: 'closed' });
  for (const name of ['visits.open', 'visits.enter'])
    expect((await calls.link(name, { token: visit.token })).status).toBe(404);
  const reentry = { token: visit.token, hold: patient.hold };
  expect((await calls.link('visits.enter', reentry)).status).toBe(404);
  expect((await calls.one.send(patient, seat.seat_id, DESCRIPTION)).status).toBe(409);
  await expect.poll(room.room).toMatchObject({ state: 'waiting', other: 'absent' });
  const [, token = ''] = video_call_url.split('/visit#');
  const entered = await calls.enter(token);
  await expect.poll(room.room).toMatchObject({ state: 'waiting', other_seat_id: entered.seat_id });
  await room.leave();
});

test('a link of the former format redirects to one whose token is not sent to servers', async () => {
  const { token } = await calls.makeAppointment();
  const get = async (path: string) => {
    const { status, headers } = await fetch(`${calls.servers.one.url}${path}`, { redirect: 'manual' });
    return [status, headers.get('location'), headers.get('cache-control')];
  };
  expect(await get(`/visit/${token}?utm=mail`)).toEqual([303, `/visit#${token}`, 'no-store']);
  expect(await get('/visit/a%0d%0aset-cookie:x')).toEqual([303, '/visit', 'no-store']);
  expect(await get('/visit//evil.example.test')).toEqual([303, '/visit', 'no-store']);
});

test('a process that shuts down closes its pages, which reconnect to another process', async () => {
  const { patient, seat } = await openCall();
  const [page, room] = [await calls.one.follow(patient), await calls.two.follow(seat)];
  await expect.poll(page.room).toMatchObject({ state: 'open' });
  calls.servicesAt.one.events.endAll();
  await page.ended;
  const reconnected = await calls.two.follow(patient);
  await expect.poll(reconnected.room).toMatchObject({ state: 'open', other: 'here' });
  await calls.two.send(seat, patient.seat_id, DESCRIPTION);
  await expect.poll(() => reconnected.signals().length).toBe(1);
  for (const one of [reconnected, room]) await one.leave();
});
