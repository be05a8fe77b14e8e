import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeCall } from '#server/visits/close-call.ts';
import { purgeExpired } from '../../jobs/purge-expired.ts';
import { type Calls, DESCRIPTION, withCalls } from './calls.ts';
import { withClinic } from './clinic.ts';

let calls: Calls;
let owner: pg.Client;
beforeAll(async () => {
  calls = await withCalls(await withClinic());
  owner = new pg.Client({ connectionString: calls.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner?.end();
  await calls?.stop();
});

const eventsOf = async (objectId: string) =>
  (await calls.db.event.findMany({ where: { objectId }, orderBy: { position: 'asc' } })).map((row) => ({
    name: `${row.eventType}.${row.eventTopic}`,
    by: row.authorType,
    payload: row.payload as Record<string, unknown>,
  }));
const actionsOf = async (objectId: string) =>
  (
    await owner.query(
      'select action, actor_type, details, patient_id from audit_entries where object_id = $1 order by position',
      [objectId],
    )
  ).rows;
const close = (appointmentId: string) => closeCall(calls.servicesAt.two, { tenantId: calls.tenant.id, appointmentId });
const silence = (appointmentId: string) => calls.db.$executeRaw`
  update visit_seats set heard_at = heard_at - interval '61 seconds' where appointment_id = ${appointmentId}::uuid`;

async function openCall(startsIn = 0) {
  const visit = await calls.makeAppointment({ startsIn });
  const rowan = await calls.staff();
  const patient = await calls.enter(visit.token);
  const seat = await rowan.at('two').visits.enterAsStaff({ id: visit.id });
  await rowan.at('two').visits.admit({ id: visit.id });
  return { visit, rowan, patient, seat };
}

test("a call's joins, start and end are written as events and to the audit log", async () => {
  const { visit, rowan, patient } = await openCall();
  await calls.enter(visit.token, { hold: patient.hold });
  await rowan.at('one').visits.admit({ id: visit.id });
  expect(await rowan.at('one').visits.endCall({ id: visit.id })).toEqual({ ended: true });
  expect(await rowan.at('one').visits.endCall({ id: visit.id })).toEqual({ ended: false });
  const events = await eventsOf(visit.id);
  expect(events.map(({ name, by, payload }) => [name, by, payload.joined ?? null])).toEqual([
    ['visit.joined', 'System', 'patient'],
    ['visit.joined', 'Practitioner', 'staff'],
    ['visit.started', 'Practitioner', null],
    ['visit.ended', 'Practitioner', null],
  ]);
  expect(events.at(-1)!.payload).toEqual({
    id: visit.id,
    patient_id: visit.patientId,
    started_at: expect.any(String),
    ended_at: expect.any(String),
    ended_by: 'staff',
  });
  const entries = await actionsOf(visit.id);
  expect(entries.map(({ action, details }) => [action, details.again ?? false])).toEqual([
    ['visits.enter', false],
    ['visits.enter_as_staff', false],
    ['visits.admit', false],
    ['visits.enter', true],
    ['visits.admit', false],
    ['visits.end_call', false],
    ['visits.end_call', false],
  ]);
  for (const { patient_id } of entries) expect(patient_id).toBe(visit.patientId);
});

test("the visit's page shows who was present when, and the worst connection quality", async () => {
  const { visit, rowan, patient } = await openCall();
  const report = (body: object) => calls.one.post('report', body, patient.key);
  expect((await report({ devices: 'ok', path: 'relay', media: 'video', quality: 'good' })).status).toBe(204);
  for (const quality of ['broken', 'thin']) await report({ quality });
  await report({ media: 'audio' });
  for (const wrong of [{ quality: 'bad' }, { devices: 1 }, { more: 1 }]) expect((await report(wrong)).status).toBe(422);
  await calls.one.post('leave', {}, patient.key);
  // A report that crosses the end of the seat is accepted but not stored.
  expect((await report({ quality: 'broken', path: 'direct' })).status).toBe(204);
  const shown = await rowan.at('one').visits.showCall({ id: visit.id });
  expect(shown).toMatchObject({
    ...{ id: visit.id, ended_at: null },
    seats: [
      { side: 'patient', name: null, from: expect.any(String), until: expect.any(String) },
      { side: 'staff', name: 'Rowan Example', until: null, quality: null },
    ],
  });
  expect(shown.seats[0]).toMatchObject({
    ...{ devices: 'ok', path: 'relay', media: 'audio', quality: 'thin', worst_quality: 'broken' },
  });
});

test('an abandoned call is ended when the last seat leaves or the time is over, and its signals are deleted', async () => {
  const [left, silent, late, going] = [await openCall(), await openCall(), await openCall(), await openCall()];
  for (const { seat, patient } of [left, silent, late, going]) await calls.two.send(seat, patient.seat_id, DESCRIPTION);
  await calls.one.post('leave', {}, left.seat.key);
  await close(left.visit.id);
  await calls.one.post('leave', {}, left.patient.key);
  await silence(silent.visit.id);
  await calls.db.appointment.updateMany({
    where: { id: late.visit.id },
    data: { startAt: new Date(Date.now() - 7_200_000), endAt: new Date(Date.now() - 3_600_000) },
  });
  for (const { visit } of [left, silent, late, going]) await close(visit.id);
  const ended = async ({ visit }: typeof left) => {
    const { endedBy } = await calls.db.visitCall.findFirstOrThrow({ where: { appointmentId: visit.id } });
    const last = (await eventsOf(visit.id)).filter(({ name }) => name === 'visit.ended');
    return [endedBy, last.length];
  };
  expect(await Promise.all([left, silent, late, going].map(ended))).toEqual([
    ['patient', 1],
    ['time', 1],
    ['time', 1],
    [null, 0],
  ]);
  expect(await calls.db.visitSignal.count({ where: { fromSeatId: { not: going.seat.seat_id } } })).toBe(0);
  // The key of a seat that was left no longer works, and a call that ended goes on when a page enters again.
  const reentered = await calls.enter(silent.visit.token, { hold: silent.patient.hold });
  const page = await calls.one.follow(reentered);
  await expect.poll(page.room).toMatchObject({ state: 'waiting' });
  expect(await ended(silent)).toEqual([null, 1]);
  await page.leave();
});

test('undelivered signals are deleted after ten minutes even if the call goes on', async () => {
  const { patient, seat } = await openCall();
  await calls.two.send(seat, patient.seat_id, DESCRIPTION);
  await calls.db.$executeRaw`update visit_signals set created_at = created_at - interval '10 minutes'`;
  await purgeExpired(calls.servicesAt.one);
  expect(await calls.db.visitSignal.count()).toBe(0);
});

test('a patient who never entered is proposed as a no-show if a staff user was there', async () => {
  const rowan = await calls.staff();
  const [missed, came, empty, soon] = [
    await calls.makeAppointment({ startsIn: -16 }),
    await calls.makeAppointment({ startsIn: -16 }),
    await calls.makeAppointment({ startsIn: -16 }),
    await calls.makeAppointment({ startsIn: -14 }),
  ];
  for (const { id } of [missed, came, soon]) await rowan.at('one').visits.enterAsStaff({ id });
  await calls.enter(came.token);
  const ids = [missed, came, empty, soon].map(({ id }) => id);
  const attended = await rowan.at('two').visits.attendance({ ids });
  const looks = ids.map((id) => attended.find((one) => one.appointment_id === id)?.looks_like_no_show);
  expect(looks).toEqual([true, false, false, false]);
});
