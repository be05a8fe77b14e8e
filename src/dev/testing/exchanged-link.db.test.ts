import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '#server/router.ts';
import { getAppointment } from '#server/scheduling/appointments/get-appointment.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { refreshAppointment } from '#server/scheduling/sync/sync-appointment.ts';
import { asPractitioner } from './actors.ts';
import { type Booking, withBooking } from './booking.ts';
import { withClinic } from './clinic.ts';
import { LOCATION_FIELD, ROWAN } from './scheduling.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
});
afterAll(() => clinic?.stop());

const book = async () => {
  const [time] = await clinic.free(clinic.nextDay(), ROWAN);
  return bookAppointment(clinic.app(), clinic.wish(time!.from_date, { calendar_id: ROWAN }));
};
const placeAtAcuity = (id: number | null) => clinic.acuity.booked().find((one) => one.id === id)!.answers[0]?.value;
const exchange = (id: string) => createCaller(asPractitioner(clinic.services, clinic.tenant)).visits.newLink({ id });
/** Runs the queued jobs as the worker does. */
async function work() {
  const jobs = await clinic.services.database.system.$queryRaw<{ payload: Parameters<typeof refreshAppointment>[1] }[]>`
    delete from graphile_worker._private_jobs using graphile_worker._private_tasks as task
    where task.id = task_id and task.identifier = 'refresh_appointment' returning payload`;
  for (const { payload } of jobs) await refreshAppointment(clinic.services, payload);
  return jobs.length;
}

test('a replaced link is written to Acuity, and Acuity’s former link changes nothing here', async () => {
  const booked = await book();
  expect(booked.video_call_url).toMatch(/\/visit#[\w-]{22}\.[\w-]{32}$/);
  const { video_call_url } = await exchange(booked.id);
  expect(video_call_url).not.toBe(booked.video_call_url);
  expect(await getAppointment(clinic.app(), { id: booked.id })).toMatchObject({
    video_call_url,
    location: video_call_url,
  });
  expect(placeAtAcuity(booked.provider_appointment_id)).toBe(booked.video_call_url);
  expect(await work()).toBe(1);
  expect(placeAtAcuity(booked.provider_appointment_id)).toBe(video_call_url);
  expect(await getAppointment(clinic.app(), { id: booked.id })).toMatchObject({
    video_call_url,
    location: video_call_url,
  });
  const events = await clinic.ctx.db.event.findMany({ where: { objectId: booked.id }, orderBy: { position: 'asc' } });
  expect(events.map(({ eventTopic }) => eventTopic)).toEqual(['scheduled', 'changed']);
});

test('an appointment with a street address keeps it when its link is replaced', async () => {
  const booked = await book();
  const fields = [{ id: LOCATION_FIELD, value: '1 Example Street' }];
  await clinic.acuity.console('PUT', `/appointments/${booked.provider_appointment_id}?admin=true`, { fields });
  const row = { tenantId: clinic.tenant.id, id: booked.id };
  await clinic.ctx.db.appointment.updateMany({ where: row, data: { location: '1 Example Street' } });
  await exchange(booked.id);
  await work();
  expect(placeAtAcuity(booked.provider_appointment_id)).toBe('1 Example Street');
  expect(await getAppointment(clinic.app(), { id: booked.id })).toMatchObject({ location: '1 Example Street' });
});

test('a link of the former format is returned in the current one', async () => {
  const booked = await book();
  const former = booked.video_call_url.replace('#', '/');
  await clinic.ctx.db.appointment.updateMany({ where: { id: booked.id }, data: { location: former } });
  expect(await getAppointment(clinic.app(), { id: booked.id })).toMatchObject({ location: booked.video_call_url });
});
