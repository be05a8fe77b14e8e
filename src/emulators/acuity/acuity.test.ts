import { expect, test } from 'vitest';
import { bookingInput, CLINIC, MONDAY, startAccount, USER_ID } from './test-account.ts';

const NOW = '2036-01-11T12:00:00Z';
const start = (account: object = {}) => startAccount(account, { now: NOW });
const TIMES = `/availability/times?date=${MONDAY}&appointmentTypeID=21`;

test('rejects a request without the correct API key', async () => {
  const { url } = await start();
  for (const authorization of ['', 'Basic x', `Basic ${btoa(`${USER_ID}:wrong`)}`, `Basic ${btoa('1:emulated-key')}`]) {
    const response = await fetch(`${url}/api/v1/me`, { headers: { authorization } });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ status_code: 401, message: 'Unauthorized', error: 'unauthorized' });
  }
  expect((await fetch(`${url}/api/v1/meta`)).status).toBe(200);
});

test('returns settings in the documented shapes', async () => {
  const { call } = await start();
  expect((await call('GET', '/me')).body).toMatchObject({ id: 900100, timezone: 'America/New_York', currency: 'USD' });
  const types = (await call('GET', '/appointment-types')).body;
  expect(types[0]).toMatchObject({ id: 21, duration: 30, price: '60.00', calendarIDs: [11, 12], formIDs: [31] });
  expect((await call('GET', '/calendars')).body[1]).toMatchObject({ id: 12, timezone: 'America/Chicago' });
  expect((await call('GET', '/forms')).body[0]).toMatchObject({
    hidden: true,
    appointmentTypeIDs: [21],
    fields: [{ id: 41, name: 'Location', required: false, type: 'textbox', options: null }],
  });
});

test('rejects unknown paths, methods and parameters', async () => {
  const { call } = await start();
  expect((await call('GET', '/patients')).body.error).toBe('not_found');
  expect((await call('DELETE', '/appointments/1')).body).toMatchObject({
    status_code: 405,
    error: 'method_not_allowed',
  });
  expect((await call('GET', '/appointments?clientID=1')).status).toBe(400);
  expect((await call('POST', '/appointments', bookingInput({ colour: 'red' }))).body.error).toBe('bad_request');
});

test('lists the slots of the requested day in the requested time zone and counts the free calendars', async () => {
  const { call } = await start();
  const merged = (await call('GET', TIMES)).body;
  expect(merged[0]).toEqual({ time: `${MONDAY}T09:00:00-0500`, slotsAvailable: 1 });
  expect(merged[2]).toEqual({ time: `${MONDAY}T10:00:00-0500`, slotsAvailable: 2 });
  const chicago = (await call('GET', `${TIMES}&calendarID=12&timezone=America/Los_Angeles`)).body;
  expect(chicago[0].time).toBe(`${MONDAY}T07:00:00-0800`);
  expect(chicago).toHaveLength(16);
  expect((await call('GET', `${TIMES}&timezone=Mars/Base`)).body.error).toBe('invalid_timezone');
  expect((await call('GET', '/availability/times?date=tomorrow&appointmentTypeID=21')).status).toBe(400);
});

test('lists the days of the month that have a free slot', async () => {
  const { call } = await start();
  const dates = (await call('GET', '/availability/dates?month=2036-01&appointmentTypeID=21')).body;
  expect(dates).toContainEqual({ date: MONDAY });
  expect(dates).not.toContainEqual({ date: '2036-01-12' });
  expect((await call('GET', '/availability/dates?month=2036-04&appointmentTypeID=21')).body).toEqual([]);
});

test('booking returns the documented formats and takes the slot', async () => {
  const { call } = await start();
  const { status, body } = await call(
    'POST',
    '/appointments',
    bookingInput({ fields: [{ id: 41, value: 'https://v.test/x' }] }),
  );
  expect(status).toBe(200);
  expect(body).toMatchObject({
    datetime: `${MONDAY}T10:00:00-0500`,
    date: 'January 14, 2036',
    time: '10:00am',
    endTime: '10:30am',
    duration: '30',
    price: '60.00',
    paid: 'no',
    type: 'Follow-up visit',
    calendarID: 11,
    canceled: false,
    labels: null,
    forms: [{ id: 31, name: 'Location', values: [{ fieldID: 41, name: 'Location', value: 'https://v.test/x' }] }],
  });
  expect(body).not.toHaveProperty('noShow');
  const times = (await call('GET', `${TIMES}&calendarID=11`)).body.map(({ time }: { time: string }) => time);
  expect(times).not.toContain(body.datetime);
  expect((await call('POST', '/appointments', bookingInput())).body).toEqual({
    status_code: 400,
    message: `The time "${MONDAY}T10:00:00-0500" is not an available time slot.`,
    error: 'not_available',
  });
});

test.each([
  ['required_appointment_type_id', { appointmentTypeID: undefined }],
  ['invalid_appointment_type', { appointmentTypeID: 999 }],
  ['required_datetime', { datetime: '' }],
  ['invalid_datetime', { datetime: 'next monday' }],
  ['invalid_timezone', { timezone: 'Mars/Base' }],
  ['invalid_calendar', { calendarID: 987654321 }],
  ['required_first_name', { firstName: '' }],
  ['required_last_name', { lastName: undefined }],
  ['required_email', { email: '' }],
  ['invalid_email', { email: 'ada' }],
  ['invalid_fields', { fields: [{ id: 42, value: 'x' }] }],
  ['required_field', { appointmentTypeID: 22, fields: [{ id: 42, value: '' }] }],
  ['invalid_certificate', { certificate: 'FREE' }],
  ['not_available', { datetime: `${MONDAY}T10:10:00-0500` }],
  ['not_available', { datetime: `${MONDAY}T18:00:00-0500` }],
  ['not_available_min_hours_in_advance', { datetime: '2036-01-11T07:30:00-0500' }],
  ['not_available_max_days_in_advance', { datetime: '2036-04-14T10:00:00-0400' }],
  ['no_available_calendar', { calendarID: undefined, datetime: '2036-01-12T10:00:00-0500' }],
])('booking fails with %s', async (error, overrides) => {
  const { call } = await start();
  const { status, body } = await call('POST', '/appointments', bookingInput(overrides));
  expect({ status, code: body.status_code, error: body.error }).toEqual({ status: 400, code: 400, error });
});

test('rejects a body that is not a JSON object', async () => {
  const { call } = await start();
  expect((await call('POST', '/appointments', [bookingInput()])).body.message).toBe('Expected a JSON object.');
});

test('books a slot for exactly one of fifty concurrent requests', async () => {
  const { call } = await start();
  const responses = await Promise.all(Array.from({ length: 50 }, () => call('POST', '/appointments', bookingInput())));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(responses.filter(({ body }) => body.error === 'not_available')).toHaveLength(49);
});

test('without a calendar, assigns a free one until none is left', async () => {
  const { call } = await start();
  const withoutCalendar = bookingInput({ calendarID: undefined });
  const responses = await Promise.all(Array.from({ length: 10 }, () => call('POST', '/appointments', withoutCalendar)));
  const booked = responses.filter(({ status }) => status === 200).map(({ body }) => body.calendarID);
  expect(booked.sort()).toEqual([11, 12]);
  expect(responses.filter(({ body }) => body.error === 'no_available_calendar')).toHaveLength(8);
});

test('with admin=true, double-booking and notes are allowed and a calendar is required', async () => {
  const { call } = await start();
  await call('POST', '/appointments', bookingInput());
  const { status, body } = await call(
    'POST',
    '/appointments?admin=true',
    bookingInput({ email: '', notes: 'walk-in' }),
  );
  expect({ status, notes: body.notes }).toEqual({ status: 200, notes: 'walk-in' });
  const invalid = await call('POST', '/appointments?admin=true', bookingInput({ calendarID: undefined }));
  expect(invalid.body.error).toBe('invalid_calendar');
});

test('canceling frees the slot permanently and returns the same response twice', async () => {
  const { call } = await start();
  const { id } = (await call('POST', '/appointments', bookingInput())).body;
  const canceled = await call('PUT', `/appointments/${id}/cancel?admin=true&noEmail=true`, {});
  expect(canceled.body).toMatchObject({ canceled: true, noShow: false, canClientCancel: false });
  expect((await call('PUT', `/appointments/${id}/cancel?admin=true`, {})).body).toEqual(canceled.body);
  expect((await call('POST', '/appointments', bookingInput())).status).toBe(200);
  const moved = await call('PUT', `/appointments/${id}/reschedule`, { datetime: `${MONDAY}T11:00:00-0500` });
  expect(moved.body.error).toBe('reschedule_canceled');
});

test('the change limits apply to clients and not to admin requests', async () => {
  const { call } = await start({ limits: { ...CLINIC.limits, minHoursToChange: 24 * 30 } });
  const { id, canClientCancel } = (await call('POST', '/appointments', bookingInput())).body;
  const later = { datetime: `${MONDAY}T11:00:00-0500` };
  expect(canClientCancel).toBe(false);
  expect((await call('PUT', `/appointments/${id}/cancel`, {})).body.error).toBe('cancel_too_close');
  expect((await call('PUT', `/appointments/${id}/reschedule`, later)).body.error).toBe('reschedule_too_close');
  expect((await call('PUT', `/appointments/${id}/reschedule?admin=true`, later)).status).toBe(200);
  expect((await call('PUT', `/appointments/${id}/cancel?admin=true`, {})).status).toBe(200);
});

test('rescheduling keeps the id, and keeps the calendar unless the request names another', async () => {
  const { call } = await start();
  const { id } = (await call('POST', '/appointments', bookingInput())).body;
  await call('POST', '/appointments', bookingInput({ datetime: `${MONDAY}T11:00:00-0500` }));
  const move = (body: object) => call('PUT', `/appointments/${id}/reschedule`, body);
  expect((await move({ datetime: `${MONDAY}T11:00:00-0500` })).body.error).toBe('not_available');
  expect((await move({})).body.error).toBe('required_datetime');
  expect((await move({ datetime: `${MONDAY}T12:00:00-0500` })).body).toMatchObject({
    id,
    calendarID: 11,
    time: '12:00pm',
  });
  expect((await move({ datetime: `${MONDAY}T11:00:00-0500`, calendarID: null })).body).toMatchObject({
    id,
    calendarID: 12,
  });
});

test('an appointment on a removed calendar moves to another one only when the request names it', async () => {
  const { call, running } = await start();
  const { id } = (await call('POST', '/appointments', bookingInput())).body;
  const { calendars } = running.world.state.accounts[USER_ID]!;
  calendars.splice(
    calendars.findIndex((calendar) => calendar.id === 11),
    1,
  );
  const move = (body: object) => call('PUT', `/appointments/${id}/reschedule`, body);
  const datetime = `${MONDAY}T12:00:00-0500`;
  expect(await move({ datetime })).toMatchObject({ status: 400, body: { error: 'invalid_calendar' } });
  expect((await move({ datetime, calendarID: 12 })).body).toMatchObject({ calendarID: 12 });
});

test('an appointment can be rescheduled to a slot that overlaps its own time', async () => {
  const { call } = await start();
  const body = bookingInput({ appointmentTypeID: 22, fields: [{ id: 42, value: 'pain' }] });
  const { id } = (await call('POST', '/appointments', body)).body;
  const query = `/availability/times?date=${MONDAY}&appointmentTypeID=22&calendarID=11`;
  const halfPastTen = `${MONDAY}T10:30:00-0500`;
  const times = async (suffix: string) =>
    (await call('GET', query + suffix)).body.map(({ time }: { time: string }) => time);
  expect(await times('')).not.toContain(halfPastTen);
  expect(await times(`&ignoreAppointmentIDs[]=${id}`)).toContain(halfPastTen);
  expect(await times(`&ignoreAppointmentIDs[0]=${id}`)).toContain(halfPastTen);
  expect((await call('PUT', `/appointments/${id}/reschedule`, { datetime: halfPastTen })).body.datetime).toBe(
    halfPastTen,
  );
});

test('padding blocks the adjacent slot', async () => {
  const { call } = await start();
  await call('POST', '/appointments', bookingInput({ appointmentTypeID: 22, fields: [{ id: 42, value: 'pain' }] }));
  expect((await call('POST', '/appointments', bookingInput({ datetime: `${MONDAY}T11:00:00-0500` }))).body.error).toBe(
    'not_available',
  );
  expect((await call('POST', '/appointments', bookingInput({ datetime: `${MONDAY}T11:30:00-0500` }))).status).toBe(200);
});

test('an update changes the documented attributes, ignores others and rejects an empty name', async () => {
  const { call } = await start();
  const { id } = (await call('POST', '/appointments', bookingInput())).body;
  const update = (body: object, query = '') => call('PUT', `/appointments/${id}${query}`, body);
  expect((await update({ phone: '+12025550101', datetime: 'ignored', notes: 'no' })).body).toMatchObject({
    phone: '+12025550101',
    notes: '',
    time: '10:00am',
  });
  expect((await update({ firstName: '' })).body.error).toBe('invalid_name');
  expect((await update({ fields: [{ id: 42, value: 'x' }] })).body.error).toBe('invalid_fields');
  expect((await update({ fields: [{ id: 41, value: 'Room 2' }] }, '?admin=true')).body.formsText).toContain(
    'Location: Room 2',
  );
});

test('filters appointments and lists them newest first', async () => {
  const { call } = await start();
  const times = ['09:00', '10:00', '11:00'];
  const createdIds = [];
  for (const time of times) {
    const fields = [{ id: 41, value: time }];
    createdIds.push(
      (await call('POST', '/appointments', bookingInput({ datetime: `${MONDAY}T${time}:00-0500`, fields }))).body.id,
    );
  }
  await call('PUT', `/appointments/${createdIds[2]}/cancel`, {});
  const ids = async (query: string) =>
    (await call('GET', `/appointments?${query}`)).body.map(({ id }: { id: number }) => id);
  expect(await ids('')).toEqual([createdIds[1], createdIds[0]]);
  expect(await ids('direction=ASC')).toEqual([createdIds[0], createdIds[1]]);
  expect(await ids('showall=true')).toEqual([createdIds[2], createdIds[1], createdIds[0]]);
  expect(await ids('canceled=true')).toEqual([createdIds[2]]);
  expect(await ids('max=1')).toEqual([createdIds[1]]);
  expect(await ids(`minDate=${MONDAY}&maxDate=${MONDAY}`)).toHaveLength(2);
  expect(await ids('maxDate=2036-01-13')).toEqual([]);
  expect(await ids('calendarID=12')).toEqual([]);
  expect(await ids('email=ADA@example.test&appointmentTypeID=21')).toHaveLength(2);
  expect(await ids('field:41=10:00')).toEqual([createdIds[1]]);
  expect((await call('GET', '/appointments?excludeForms=true&max=1')).body[0].forms).toEqual([]);
});

test('check-times returns which requests can be booked', async () => {
  const { call } = await start();
  const available = { datetime: `${MONDAY}T10:00:00-0500`, appointmentTypeID: 21, calendarID: 11 };
  const unavailable = { ...available, datetime: `${MONDAY}T10:10:00-0500` };
  const { body } = await call('POST', '/availability/check-times', [available, unavailable]);
  expect(body).toMatchObject([
    { ...available, valid: true },
    { ...unavailable, valid: false, error: 'not_available' },
  ]);
  expect((await call('POST', '/availability/check-times', available)).body.valid).toBe(true);
});

test('a block removes slots and its deletion restores them', async () => {
  const { call } = await start();
  const times = async () => (await call('GET', `${TIMES}&calendarID=11`)).body;
  const block = { start: `${MONDAY}T09:00:00-0500`, end: `${MONDAY}T17:00:00-0500`, calendarID: 11, notes: 'away' };
  const { id, start: from } = (await call('POST', '/blocks', block)).body;
  expect(from).toBe(block.start);
  expect(await times()).toEqual([]);
  expect((await call('DELETE', `/blocks/${id}`)).status).toBe(204);
  expect(await times()).toHaveLength(16);
  expect((await call('DELETE', `/blocks/${id}`)).status).toBe(404);
  expect((await call('POST', '/blocks', { ...block, end: block.start })).status).toBe(422);
});

test('creates clients from bookings and selects them by name and phone', async () => {
  const { call } = await start();
  await call('POST', '/appointments', bookingInput());
  expect((await call('GET', '/clients?search=ada')).body).toMatchObject([
    { firstName: 'Ada', email: 'ada@example.test' },
  ]);
  expect((await call('PUT', '/clients?firstName=Ada&lastName=Example', { notes: 'n' })).body.notes).toBe('n');
  expect((await call('DELETE', '/clients?firstName=Ada&lastName=Example')).status).toBe(204);
  expect((await call('DELETE', '/clients?firstName=Ada&lastName=Example')).body.message).toBe('Client does not exist');
});
