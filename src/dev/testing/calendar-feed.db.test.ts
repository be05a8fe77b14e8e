import ICAL from 'ical.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { newId } from '#server/core/ids.ts';
import { createCalendarFeedHandler } from '#server/http/calendar-feed-handler.ts';
import { createCaller } from '#server/router.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { getCatalogue } from '#server/scheduling/catalogue/catalogue.ts';
import { asAdmin, asApplication, asPractitioner } from './actors.ts';
import { type Booking, withBooking } from './booking.ts';
import { withClinic } from './clinic.ts';
import { errorOf, ROWAN } from './scheduling.ts';

let clinic: Booking;
let rowan: string;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { firstName: 'Marigold' });
  rowan = newId();
  const email = 'rowan@clinic.example.test';
  await clinic.ctx.db.staffUser.create({
    data: { id: rowan, tenantId: clinic.tenant.id, name: 'Rowan Example', email, role: 'practitioner' },
  });
  await getCatalogue(clinic.ctx, 0);
});
afterAll(() => clinic.stop());

const own = () => createCaller(asPractitioner(clinic.services, clinic.tenant, rowan));
const send = (path: string, method = 'GET') =>
  createCalendarFeedHandler(clinic.services)({
    ...{ method, path, query: new URLSearchParams(), ip: '198.51.100.7' },
    header: () => null,
    body: async () => new Uint8Array(),
  });
const read = (url: string) => send(new URL(url).pathname);
const entriesIn = (file: string | null) =>
  new ICAL.Component(ICAL.parse(file ?? ''))
    .getAllSubcomponents('vevent')
    .map((event) => new ICAL.Event(event))
    .map(({ uid, summary }) => ({ uid, summary }));
async function book() {
  const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
  return bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id: ROWAN }));
}

test("the feed lists the staff user's own appointments without patient names until the link is replaced or deleted", async () => {
  const appointment = await book();
  const canceled = await book();
  await cancelAppointment(clinic.app(), { id: canceled.id });
  expect(await own().calendarFeed.get()).toEqual({ made_at: null });
  const first = await own().calendarFeed.make();
  expect(await own().calendarFeed.get()).toEqual({ made_at: first.made_at });
  const { status, headers, body } = await read(first.url);
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'text/calendar; charset=utf-8',
    'no-store',
  ]);
  expect(entriesIn(body)).toEqual([{ uid: `visit-${appointment.id}@carelane`, summary: appointment.appointment_type }]);
  expect(body).not.toMatch(/Marigold|example\.test/);
  expect(body).not.toContain(appointment.video_call_url);

  const second = await own().calendarFeed.make();
  expect([(await read(first.url)).status, (await read(second.url)).status]).toEqual([404, 200]);
  await own().calendarFeed.end();
  expect((await read(second.url)).status).toBe(404);
  expect(await own().calendarFeed.get()).toEqual({ made_at: null });
});

test("the feed names patients when the clinic's settings allow it", async () => {
  const { url } = await own().calendarFeed.make();
  const admin = createCaller(asAdmin(clinic.services, clinic.tenant));
  const { version } = await admin.messageSettings.get();
  await admin.messageSettings.update({ version, settings: { ...DEFAULT_SETTINGS, says_patient: true } });
  expect(entriesIn((await read(url)).body).map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/, Marigold Example$/),
  ]);
});

test("logs the patients that each read shows, and does not store the link's token", async () => {
  const { url } = await own().calendarFeed.make();
  await read(url);
  const [entry] = await clinic.ctx.db.auditEntry.findMany({
    where: { action: 'calendar_feed.open' },
    orderBy: { position: 'desc' },
    take: 1,
  });
  expect(entry).toMatchObject({ patientId: clinic.patientId, actorType: 'Visitor', outcome: null });
  const token = new URL(url).pathname.split('/').at(-1)!.replace('.ics', '');
  const rows = await clinic.ctx.db.$queryRaw<{ content: string }[]>`
    select row_to_json(s)::text as content from staff_users s
    union all select row_to_json(a)::text from audit_entries a`;
  expect(rows.filter(({ content }) => content.includes(token))).toEqual([]);
});

test('returns 404 for a guessed, malformed or replaced link and for a disabled staff user', async () => {
  const { url } = await own().calendarFeed.make();
  const path = new URL(url).pathname;
  const guessed = `${path.slice(0, -8)}AAAA.ics`;
  for (const other of [guessed, path.replace('.ics', ''), '/api/calendars/', '/api/calendars/a.b.ics', `${path}/x`])
    expect([other, (await send(other)).status]).toEqual([other, 404]);
  expect((await send(path, 'POST')).status).toBe(405);
  const setOff = (disabledAt: Date | null) =>
    clinic.ctx.db.staffUser.updateMany({ where: { id: rowan }, data: { disabledAt } });
  await setOff(new Date());
  expect((await send(path)).status).toBe(404);
  await setOff(null);
  expect((await send(path)).status).toBe(200);
});

test('rejects an application with forbidden', async () => {
  const app = createCaller(asApplication(clinic.services, clinic.tenant));
  expect((await errorOf(app.calendarFeed.make().catch((error) => Promise.reject(error.cause ?? error)))).code).toBe(
    'forbidden',
  );
});
