import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Context } from '#server/core/context.ts';
import { newToken } from '#server/core/ids.ts';
import { createCaller } from '#server/router.ts';
import { closeCall } from '#server/visits/close-call.ts';
import { asAdmin, asPatient } from './actors.ts';
import { type Calls, withCalls } from './calls.ts';
import { withClinic } from './clinic.ts';

const BORN = '1980-02-29';
const HOUR_S = 3600;
const A_DAY_MS = 86_400_000;
let calls: Calls;
beforeAll(async () => {
  calls = await withCalls(
    await withClinic({
      env: {
        VIDEO_TURN_URLS: 'turn:turn.example.test',
        VIDEO_TURN_SECRET: 'the-secret-of-a-relay-in-tests',
      },
    }),
  );
});
afterAll(() => calls?.stop());
const setCheck = (check: 'none' | 'date_of_birth' | 'sign_in') =>
  createCaller(asAdmin(calls.services, calls.tenant)).visits.setCheck({ check });
beforeEach(() => setCheck('none'));

const entering = async (token: string, more: object = {}) => {
  const { status, error } = await calls.link('visits.enter', { token, ...more });
  return [status, error?.code ?? null];
};

test('a reload skips the date of birth only for a tab that still has its seat in this visit', async () => {
  await setCheck('date_of_birth');
  const [visit, other] = [
    await calls.makeAppointment({ birthDate: BORN }),
    await calls.makeAppointment({ birthDate: BORN }),
  ];
  const rowan = await calls.staff();
  const patient = await calls.enter(visit.token, { date_of_birth: BORN });
  const elsewhere = await calls.enter(other.token, { date_of_birth: BORN });
  await rowan.at('two').visits.enterAsStaff({ id: visit.id });
  for (const hold of [elsewhere.hold, newToken()])
    expect(await entering(visit.token, { hold })).toEqual([403, 'verification_required']);
  const { hold } = patient;
  const reentered = await calls.enter(visit.token, { hold });
  // The seat has moved to the new key; it proves nothing for a tab with another secret.
  expect(await entering(visit.token, { hold: newToken() })).toEqual([403, 'verification_required']);
  await calls.one.post('leave', {}, reentered.key);
  expect(await entering(visit.token, { hold })).toEqual([403, 'verification_required']);
});

test('no date of birth is checked while the room is closed', async () => {
  await setCheck('date_of_birth');
  const [before, after] = [
    await calls.makeAppointment({ startsIn: 60, birthDate: BORN }),
    await calls.makeAppointment({ startsIn: -120, birthDate: BORN }),
  ];
  for (const date_of_birth of [BORN, '1999-09-09']) {
    expect(await entering(before.token, { date_of_birth })).toEqual([422, 'too_early']);
    expect(await entering(after.token, { date_of_birth })).toEqual([422, 'too_late']);
  }
});

test("a patient who is rate limited by another person's attempts can enter through a new link", async () => {
  await setCheck('date_of_birth');
  const visit = await calls.makeAppointment({ birthDate: BORN });
  const rowan = await calls.staff();
  for (let n = 1; n <= 8; n += 1) await entering(visit.token, { date_of_birth: `1990-01-0${n}` });
  expect(await entering(visit.token, { date_of_birth: BORN })).toEqual([429, 'rate_limited']);
  const { video_call_url } = await rowan.at('two').visits.newLink({ id: visit.id });
  expect(await entering(video_call_url.split('#')[1]!, { date_of_birth: BORN })).toEqual([200, null]);
});

test("with the sign-in check only the patient's signed link opens the visit, for 15 minutes", async () => {
  await setCheck('sign_in');
  const [visit, other] = [await calls.makeAppointment(), await calls.makeAppointment()];
  const signedIn = (patientId: string) => createCaller(asPatient(calls.services, calls.tenant, patientId));
  const passTo = async ({ id, patientId }: { id: string; patientId: string }) => {
    const { url } = await signedIn(patientId).visits.signLink({ id });
    const [, pass, token] = /#(.+)~(.+)$/.exec(url)!;
    return { pass, token: token! };
  };
  expect((await calls.link('visits.open', { token: visit.token })).body).toMatchObject({ asks: ['sign_in'] });
  const own = await passTo(visit);
  expect(own.token).toBe(visit.token);
  const { pass: otherPass } = await passTo(other);
  const [until, signature] = own.pass!.split('.');
  const later = `${Number(until) + 3600}.${signature}`;
  for (const pass of [undefined, otherPass, later, `${until}.`, 'made-up', `${until}.${signature}.x`.slice(0, 30)])
    expect(await entering(visit.token, { pass })).toEqual([403, 'verification_required']);
  expect(await entering(visit.token, { date_of_birth: BORN })).toEqual([403, 'verification_required']);
  const { hold } = await calls.enter(visit.token, { pass: own.pass });
  expect(await entering(visit.token, { hold }), 'a reload').toEqual([200, null]);

  const { expires_at } = await signedIn(visit.patientId).visits.signLink({ id: visit.id });
  expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(900_000);
  const over = { ...calls.services, clock: { now: () => new Date(Date.now() - 901_000) } };
  const old = await createCaller(asPatient(over, calls.tenant, visit.patientId)).visits.signLink({ id: visit.id });
  const { pass } = /#(?<pass>.+)~/.exec(old.url)!.groups!;
  expect(await entering(visit.token, { pass })).toEqual([403, 'verification_required']);
});

test("a signed link is issued only to the appointment's patient, and not for a canceled appointment", async () => {
  const visit = await calls.makeAppointment();
  const anotherAppointment = await calls.makeAppointment();
  const code = (request: Promise<unknown>) =>
    request.then(
      () => 'given',
      (error) => error.cause.faults[0].code,
    );
  const of = (ctx: Context) => code(createCaller(ctx).visits.signLink({ id: visit.id }));
  expect(await of(asPatient(calls.services, calls.tenant, anotherAppointment.patientId))).toBe('not_found');
  expect(await of(asAdmin(calls.services, calls.tenant))).toBe('forbidden');
  const elsewhere = asPatient(calls.services, calls.tenant, visit.patientId);
  const config = { ...elsewhere.config, videoBaseUrl: 'https://video.example.test' };
  const { url } = await createCaller({ ...elsewhere, config }).visits.signLink({ id: visit.id });
  expect(url, 'another’s page asks for what it wants').toBe(`https://video.example.test/${visit.token}`);
  await calls.db.appointment.updateMany({ where: { id: visit.id }, data: { status: 'canceled' } });
  expect(await of(elsewhere)).toBe('already_canceled');
});

test('TURN credentials last as long as the room is open, for any appointment length', async () => {
  const [short, long] = [await calls.makeAppointment(), await calls.makeAppointment()];
  await calls.db.appointment.updateMany({
    where: { id: long.id },
    data: { endAt: new Date(Date.now() + 8 * HOUR_S * 1000) },
  });
  const left = async (token: string) => {
    const { ice_servers } = await calls.enter(token);
    return Number(ice_servers.at(-1)!.username!.split(':')[0]) - Date.now() / 1000;
  };
  const [ofShort, ofLong] = [await left(short.token), await left(long.token)];
  expect(ofShort).toBeGreaterThan(1.5 * HOUR_S);
  expect(ofShort).toBeLessThan(1.75 * HOUR_S);
  expect(ofLong).toBeGreaterThan(9 * HOUR_S);
});

/** Moves everything that happened in a visit one day back, as if the appointment had been rescheduled since. */
async function moveOn(appointmentId: string) {
  await calls.db.visitSeat.updateMany({
    where: { appointmentId },
    data: { satAt: new Date(Date.now() - A_DAY_MS), heardAt: new Date(Date.now() - A_DAY_MS) },
  });
  await calls.db.visitCall.updateMany({
    where: { appointmentId, startedAt: { not: null } },
    data: { startedAt: new Date(Date.now() - A_DAY_MS) },
  });
}

test('attendance before a reschedule does not count for the new time', async () => {
  const rowan = await calls.staff();
  const [missed, elsewhere] = [
    await calls.makeAppointment({ startsIn: -20 }),
    await calls.makeAppointment({ startsIn: -20 }),
  ];
  await calls.enter(missed.token);
  for (const { id } of [missed, elsewhere]) {
    await rowan.at('one').visits.enterAsStaff({ id });
    await moveOn(id);
  }
  await rowan.at('one').visits.enterAsStaff({ id: missed.id });
  const attended = await rowan.at('two').visits.attendance({ ids: [missed.id, elsewhere.id] });
  const of = (id: string) => attended.find((one) => one.appointment_id === id);
  expect(of(missed.id)).toMatchObject({ patient_came: false, staff_came: true, looks_like_no_show: true });
  expect(of(elsewhere.id)).toMatchObject({ patient_came: false, staff_came: false, looks_like_no_show: false });
});

test('a hundred reloads of one page do not hide the attendance of the other side', async () => {
  const rowan = await calls.staff();
  const visit = await calls.makeAppointment({ startsIn: -20 });
  await rowan.at('one').visits.enterAsStaff({ id: visit.id });
  const {
    id: _,
    keyHash: __,
    ...row
  } = await calls.db.visitSeat.findFirstOrThrow({
    where: { appointmentId: visit.id },
  });
  const earlier = Array.from({ length: 100 }, () => ({
    ...{ ...row, id: crypto.randomUUID(), leftAt: new Date(), whyLeft: 'taken' },
  }));
  await calls.db.visitSeat.createMany({ data: earlier });
  await calls.enter(visit.token);
  expect(await rowan.at('one').visits.attendance({ ids: [visit.id] })).toMatchObject([{ looks_like_no_show: false }]);
});

test('a rescheduled appointment starts a new call at its new time', async () => {
  const rowan = await calls.staff();
  const visit = await calls.makeAppointment();
  const started = () => calls.db.event.count({ where: { objectId: visit.id, eventTopic: 'started' } });
  const begin = async () => {
    await calls.enter(visit.token);
    await rowan.at('one').visits.enterAsStaff({ id: visit.id });
    await rowan.at('one').visits.admit({ id: visit.id });
  };
  await begin();
  await rowan.at('one').visits.endCall({ id: visit.id });
  await begin();
  expect(await started()).toBe(1);
  await moveOn(visit.id);
  await rowan.at('one').visits.endCall({ id: visit.id });
  await begin();
  expect(await started()).toBe(2);
});

test('the call of a rescheduled appointment ends even if its pages are still open', async () => {
  const visit = await calls.makeAppointment();
  await calls.enter(visit.token);
  const startAt = new Date(Date.now() + A_DAY_MS);
  await calls.db.appointment.updateMany({
    where: { id: visit.id },
    data: { startAt, endAt: new Date(startAt.getTime() + 1_800_000) },
  });
  await closeCall(calls.servicesAt.one, { tenantId: calls.tenant.id, appointmentId: visit.id });
  expect(await calls.db.visitCall.findFirst({ where: { appointmentId: visit.id } })).toMatchObject({ endedBy: 'time' });
});

test.each([
  ['disabled', { disabledAt: new Date() }],
  ['of a role that hosts no visits', { role: 'billing' }],
])('a staff user who is now %s does not occupy the seat and is not shown to the patient', async (_, data) => {
  const [rowan, alder] = [await calls.staff(), await calls.staff()];
  const visit = await calls.makeAppointment();
  const patient = await calls.enter(visit.token);
  const page = await calls.one.follow(patient);
  await rowan.at('one').visits.enterAsStaff({ id: visit.id });
  await expect.poll(page.room).toMatchObject({ other: 'here' });
  await calls.db.staffUser.updateMany({ where: { id: rowan.id }, data });
  calls.services.calls.notify(calls.tenant.id, visit.id);
  await expect.poll(page.room).toMatchObject({ other: 'absent', other_seat_id: null });
  const seat = await alder.at('two').visits.enterAsStaff({ id: visit.id });
  await expect.poll(page.room).toMatchObject({ other: 'here', other_seat_id: seat.seat_id });
  await page.leave();
});

test.each([
  ['canceled', { status: 'canceled' }, 'already_canceled'],
  ['noted as missed', { status: 'no_show' }, 'too_late'],
  ['moved', { startAt: new Date(Date.now() + A_DAY_MS), endAt: new Date(Date.now() + A_DAY_MS + 1) }, 'too_early'],
])('an appointment that was %s has no one waiting and admits no one', async (_, data, code) => {
  const rowan = await calls.staff();
  const visit = await calls.makeAppointment();
  await calls.enter(visit.token);
  await rowan.at('one').visits.enterAsStaff({ id: visit.id });
  await calls.db.appointment.updateMany({ where: { id: visit.id }, data });
  const waiting = await rowan.at('one').visits.waiting();
  expect(waiting.filter(({ appointment_id }) => appointment_id === visit.id)).toEqual([]);
  const rejection = await rowan
    .at('one')
    .visits.admit({ id: visit.id })
    .catch((error) => error.cause);
  expect(rejection.faults).toMatchObject([{ code }]);
  expect(await calls.db.event.count({ where: { objectId: visit.id, eventTopic: 'started' } })).toBe(0);
});

test('a process that shuts down also closes pages that connect during the shutdown', async () => {
  const visit = await calls.makeAppointment();
  const patient = await calls.enter(visit.token);
  calls.servicesAt.two.events.endAll();
  const page = await calls.two.follow(patient);
  await expect.poll(() => page.received.isOver, { timeout: 3_000 }).toBe(true);
  expect(calls.servicesAt.two.calls.size()).toBe(0);
});
