import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DailyListInput } from '#contract/daily-list.ts';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { TENANTS_WITH_LISTS } from '#server/appointment-messages/daily-list.ts';
import { queueDailyLists, sendDailyLists } from '#server/appointment-messages/send-daily-lists.ts';
import { DAY, HOUR, MINUTE } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { createCaller } from '#server/router.ts';
import { createServices } from '#server/services.ts';
import { asAdmin, asApplication, asPractitioner, makeTenant } from './actors.ts';
import { withClinic } from './clinic.ts';
import { errorOf } from './scheduling.ts';
import { type SendingBench, withMessages } from './sending.ts';

const ZONE = 'America/New_York';
const ON: DailyListInput = { is_on: true, hour: 7, time_zone: ZONE, on_empty_days: false };

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
});
afterAll(() => bench?.stop());

let userId: string;
let email: string;
/** Each test uses a year of its own, so that its days do not overlap with another's. */
let year = 2030;
const at = (monthAndTime: string) => new Date(`${year}-${monthAndTime}Z`);
beforeEach(async () => {
  year += 1;
  userId = newId();
  email = `${userId}@clinic.example.test`;
  const data = { id: userId, tenantId: bench.clinic.tenant.id, name: 'Rowan Example', email, role: 'practitioner' };
  await bench.clinic.ctx.db.dailyList.deleteMany({});
  await bench.clinic.ctx.db.staffUser.create({ data });
});

const own = (now: Date) => createCaller(asPractitioner(bench.at(now), bench.clinic.tenant, userId));
const send = (now: Date) => sendDailyLists(bench.at(now), { tenantId: bench.clinic.tenant.id });
const row = () => bench.clinic.ctx.db.dailyList.findFirstOrThrow({ where: { userId } });
async function createAppointment(startAt: Date, more: object = {}): Promise<string> {
  const { tenant, patientId, ctx } = bench.clinic;
  const id = newId();
  await ctx.db.appointment.create({
    data: {
      ...{ id, tenantId: tenant.id, patientId, practitionerId: userId, appointmentTypeId: 1, appointmentType: 'Visit' },
      ...{ calendarId: 1, calendar: 'Rowan Example', timeZone: ZONE, videoToken: newId(), status: 'scheduled' },
      ...{ startAt, endAt: new Date(startAt.getTime() + HOUR / 2), asked: 'staff', ...more },
    },
  });
  return id;
}

test('is off by default, and once enabled sends the day’s appointments in the morning, once', async () => {
  expect(await own(at('01-10T12:00')).dailyList.get()).toEqual({
    ...{ is_on: false, hour: 7, time_zone: null, on_empty_days: false, last: null },
  });
  await createAppointment(at('01-11T15:00'));
  await createAppointment(at('01-11T14:00'));
  await createAppointment(at('01-11T16:00'), { status: 'canceled' });
  await createAppointment(at('01-12T04:59'));
  // The first is the next day in the list's zone, the second belongs to another staff user.
  await createAppointment(at('01-12T05:00'));
  await createAppointment(at('01-11T17:00'), { practitionerId: null });
  await own(at('01-10T12:30')).dailyList.set(ON);
  await send(at('01-11T11:59'));
  expect(bench.mailsTo(email)).toEqual([]);
  await send(at('01-11T12:00'));
  await send(at('01-11T12:00'));
  await send(at('01-12T04:58'));
  const [mail, ...others] = bench.mailsTo(email);
  expect(others).toEqual([]);
  expect(mail!.subject).toMatch(/: 3 appointments on \w+, January 11$/);
  expect(mail!.text.match(/^\d.* to .*$/gm)).toEqual([
    '9:00 AM to 9:30 AM: Visit',
    '10:00 AM to 10:30 AM: Visit',
    '11:59 PM to 12:29 AM: Visit',
  ]);
  expect(mail!.text).toContain(`/calendar?day=${year}-01-11`);
  expect(`${mail!.text}${mail!.html}`).not.toContain('Ada');
  const shown = await own(at('01-11T13:00')).dailyList.get();
  expect(shown.last).toEqual({ at: at('01-11T12:00').toISOString(), became: 'sent' });
  await send(at('01-12T12:00'));
  expect(bench.mailsTo(email)).toHaveLength(2);
});

test('names patients when the clinic allows it, and logs whose appointments were sent', async () => {
  const admin = createCaller(asAdmin(bench.clinic.services, bench.clinic.tenant));
  const { version } = await admin.messageSettings.get();
  await admin.messageSettings.update({ version, settings: { ...DEFAULT_SETTINGS, says_patient: true } });
  const { patientId, ctx } = bench.clinic;
  await ctx.db.patient.updateMany({ where: { id: patientId }, data: { firstName: 'Marigold' } });
  await createAppointment(at('02-02T15:00'));
  await own(at('02-01T15:00')).dailyList.set(ON);
  await send(at('02-02T12:00'));
  expect(bench.mailsTo(email)[0]!.text).toMatch(/Visit, Marigold/);
  const entries = await ctx.db.auditEntry.findMany({
    where: { objectId: userId },
    orderBy: { position: 'asc' },
    select: { action: true, patientId: true, details: true },
  });
  expect(entries).toMatchObject([
    { action: 'account.set_daily_list', patientId: null, details: { is_on: true, hour: 7 } },
    { action: 'account.send_daily_list', patientId: null, details: { day: `${year}-02-02`, named: true } },
    { action: 'appointments.send_list', patientId, details: { day: `${year}-02-02`, named: true } },
  ]);
});

test('sends nothing on a day without appointments, unless configured to', async () => {
  await own(at('03-01T15:00')).dailyList.set(ON);
  await send(at('03-02T12:00'));
  expect(bench.mailsTo(email)).toEqual([]);
  expect(await row()).toMatchObject({ state: 'empty', day: `${year}-03-02` });
  await own(at('03-02T15:00')).dailyList.set({ ...ON, on_empty_days: true });
  await send(at('03-03T12:00'));
  expect(bench.mailsTo(email).map(({ subject }) => /no appointments/.test(subject))).toEqual([true]);
});

test('sends one list at seven local time on days when the clocks change', async () => {
  const clock = (month: string) => (month === '03' ? ['12:00', '11:00'] : ['11:00', '12:00']);
  year = 2036;
  for (const [month, days] of [
    // In 2036 the clocks change on March 9th and November 2nd.
    ['03', ['08', '09', '10']],
    ['11', ['01', '02', '03']],
  ] as const) {
    await own(at(`${month}-${days[0]}T02:00`)).dailyList.set({ ...ON, on_empty_days: true });
    const [before, after] = clock(month);
    for (const day of days) {
      const hour = day === days[0] ? before! : after!;
      const count = bench.mailsTo(email).length;
      await send(new Date(at(`${month}-${day}T${hour}`).getTime() - MINUTE));
      expect(bench.mailsTo(email)).toHaveLength(count);
      for (const minutes of [0, 60, 120])
        await send(new Date(at(`${month}-${day}T${hour}`).getTime() + minutes * MINUTE));
      expect(bench.mailsTo(email)).toHaveLength(count + 1);
    }
  }
});

test('sends nothing to a disabled staff user or after it is disabled', async () => {
  await createAppointment(at('04-02T15:00'));
  await own(at('04-01T15:00')).dailyList.set(ON);
  const { db } = bench.clinic.ctx;
  await db.staffUser.updateMany({ where: { id: userId }, data: { disabledAt: at('04-01T16:00') } });
  await send(at('04-02T12:00'));
  expect([bench.mailsTo(email), (await row()).dueAt]).toEqual([[], null]);
  await db.staffUser.updateMany({ where: { id: userId }, data: { disabledAt: null } });
  await own(at('04-02T10:00')).dailyList.set(ON);
  await own(at('04-02T11:00')).dailyList.set({ ...ON, is_on: false });
  await send(at('04-02T12:00'));
  expect(bench.mailsTo(email)).toEqual([]);
  expect(await bench.clinic.services.database.tenantsOf(TENANTS_WITH_LISTS)).toEqual([]);
});

test('sends no second list of a day when it is disabled and enabled again at another hour', async () => {
  await createAppointment(at('05-02T15:00'));
  await own(at('05-01T15:00')).dailyList.set(ON);
  await send(at('05-02T12:00'));
  await own(at('05-02T12:00')).dailyList.set({ ...ON, is_on: false });
  await own(at('05-02T12:10')).dailyList.set({ ...ON, hour: 20 });
  await send(at('05-03T01:00'));
  expect(bench.mailsTo(email)).toHaveLength(1);
});

test('sends the day’s list late after an outage, and none for a past day', async () => {
  await createAppointment(at('06-03T15:00'));
  await own(at('06-01T15:00')).dailyList.set(ON);
  await send(at('06-03T18:00'));
  expect(bench.mailsTo(email).map(({ subject }) => subject)).toEqual([expect.stringContaining('June 3')]);
  expect((await row()).dueAt).toEqual(at('06-04T11:00'));
});

test('retries a failed mail server on the same day, and sends one list the next day', async () => {
  await createAppointment(at('07-02T15:00'));
  await createAppointment(at('07-03T15:00'));
  await own(at('07-01T15:00')).dailyList.set(ON);
  const { config, cipher, log } = bench.clinic.services;
  const unreachable = { ...config, mail: { ...config.mail!, smtpUrl: 'smtp://127.0.0.1:9' }, providerTimeoutMs: 500 };
  const sendUnreachable = async (now: Date) => {
    const services = createServices(unreachable, { cipher, log, clock: { now: () => now } });
    await sendDailyLists(services, { tenantId: bench.clinic.tenant.id });
    await services.close();
  };
  await sendUnreachable(at('07-02T11:00'));
  expect(await row()).toMatchObject({ state: 'again', dueAt: at('07-02T11:01') });
  await send(at('07-02T11:01'));
  await send(at('07-02T11:02'));
  expect(bench.mailsTo(email)).toHaveLength(1);
  await sendUnreachable(at('07-03T11:00'));
  // It is the night of the next day by then, so the list of the day before is dropped.
  await send(at('07-04T05:00'));
  expect(bench.mailsTo(email)).toHaveLength(1);
  expect((await row()).dueAt).toEqual(at('07-04T11:00'));
});

test('looks only at clinics with an enabled list, and queues a run when one is due', async () => {
  await own(at('08-01T15:00')).dailyList.set(ON);
  await makeTenant(bench.clinic.services);
  const services = bench.at(new Date(at('08-02T11:00').getTime() - 1));
  const tenantIds: string[] = [];
  const { database } = services;
  const forTenant = (tenantId: string) => {
    tenantIds.push(tenantId);
    return database.forTenant(tenantId);
  };
  const jobs = () => database.system.$queryRaw<object[]>`
    delete from graphile_worker._private_jobs where key like 'send_daily_lists:%' returning id`;
  await queueDailyLists({ ...services, database: { ...database, forTenant } });
  expect([tenantIds, await jobs()]).toEqual([[bench.clinic.tenant.id], []]);
  await queueDailyLists(bench.at(at('08-02T11:00')));
  expect(await jobs()).toHaveLength(1);
  await own(new Date(at('08-02T11:00').getTime() + DAY)).dailyList.set({ ...ON, is_on: false });
});

test('rejects an application, and an invalid time zone or hour', async () => {
  const app = createCaller(asApplication(bench.clinic.services, bench.clinic.tenant));
  const result = app.dailyList.set(ON).catch((error) => Promise.reject(error.cause ?? error));
  expect((await errorOf(result)).code).toBe('forbidden');
  for (const wrong of [{ time_zone: 'Mars/Olympus' }, { hour: 24 }, { hour: 7.5 }, { hour: '7' }])
    await expect(own(at('09-01T00:00')).dailyList.set({ ...ON, ...wrong } as DailyListInput)).rejects.toThrow();
});
