import { expect, test } from 'vitest';
import { BREAKS } from './breaks.ts';
import { bookingInput, CLINIC, MONDAY, startAccount, startReceiver, USER_ID } from './test-account.ts';

const NOW = '2036-01-11T12:00:00Z';
const TEN_O_CLOCK = `${MONDAY}T10:00`;
const BOOKING = {
  appointmentTypeID: '21',
  calendarID: '11',
  datetime: TEN_O_CLOCK,
  firstName: 'Ada',
  lastName: 'Example',
  email: 'ada@example.test',
};

/** Opens a console as a browser does: posts forms and follows redirects. */
async function openConsole(account: object = {}) {
  const started = await startAccount({ labels: [], ...account }, { now: NOW });
  const consoleUrl = `${started.url}/console/${USER_ID}`;
  const page = async () => (await fetch(consoleUrl)).text();
  const post = async (action: string, fields: Record<string, string | string[]> = {}) => {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) for (const item of [value].flat()) body.append(name, item);
    const response = await fetch(`${consoleUrl}/${action}`, { method: 'POST', body, headers: { origin: started.url } });
    return { status: response.status, text: await response.text() };
  };
  const submit = async (action: string, fields?: Record<string, string | string[]>) => {
    const { status, text } = await post(action, fields);
    expect([action, status, /role="alert">([^<]*)/.exec(text)?.[1]]).toEqual([action, 200, undefined]);
    return text;
  };
  return {
    ...started,
    consoleUrl,
    page,
    post,
    submit,
    accountState: () => started.running.world.state.accounts[USER_ID]!,
  };
}

test('books, reschedules, cancels and marks appointments as missed for the selected person', async () => {
  const { submit, post, call, accountState } = await openConsole();
  await submit('appointments', { ...BOOKING, by: 'rowan.example@clinic.example.test' });
  const [first] = accountState().appointments;
  expect(first).toMatchObject({ scheduledBy: 'rowan.example@clinic.example.test', calendarId: 11 });
  const conflict = await post('appointments', { ...BOOKING, by: 'client' });
  expect(conflict).toMatchObject({ status: 400, text: expect.stringContaining('is not an available time slot') });
  await submit('appointments', { ...BOOKING, datetime: `${MONDAY}T11:00`, by: 'client' });
  expect(accountState().appointments[1]).toMatchObject({ scheduledBy: null });
  await submit(`appointments/${first!.id}/move`, { datetime: `${MONDAY}T11:00`, calendarID: '12', by: '' });
  expect((await call('GET', `/appointments/${first!.id}`)).body).toMatchObject({ calendarID: 12, time: '11:00am' });
  const shown = await submit(`appointments/${first!.id}/cancel`, { noShow: 'true', by: '' });
  expect(shown).toContain('did not come');
  expect((await call('GET', `/appointments/${first!.id}`)).body).toMatchObject({ canceled: true, noShow: true });
  await submit(`appointments/${accountState().appointments[1]!.id}/cancel`, { by: 'client' });
  expect(await call('GET', '/appointments')).toMatchObject({ body: [] });
  expect((await post('appointments/1/cancel')).text).toContain('Not Found.');
});

test('a past appointment can be marked as missed', async () => {
  const { submit, page, control, call, accountState } = await openConsole();
  await submit('appointments', { ...BOOKING, by: '' });
  const { id } = accountState().appointments[0]!;
  await control('POST', 'clock', { set: `${MONDAY}T18:00:00Z` });
  const shown = await page();
  const action = `appointments/${id}/cancel`;
  const [, fields] = new RegExp(`action="[^"]*/${action}">(.*?)</form>`, 's').exec(shown) ?? [];
  expect(fields).toContain('Did not come');
  const [, name, value] = /name="(\w+)" value="(\w+)"/.exec(fields!)!;
  expect(await submit(action, { [name!]: value! })).not.toContain(action);
  expect((await call('GET', `/appointments/${id}`)).body).toMatchObject({ canceled: true, noShow: true });
});

test('changes the account, its calendars and their hours', async () => {
  const { submit, post, call, accountState } = await openConsole();
  const limits = { interval: '15', minHoursInAdvance: '2', maxDaysInAdvance: '90' };
  await submit('settings', { name: 'Lakeside', timezone: 'Europe/Berlin', plan: 'Powerhouse', ...limits });
  expect((await call('GET', '/me')).body).toMatchObject({ name: 'Lakeside', timezone: 'Europe/Berlin' });
  expect((await post('settings', { name: 'X', timezone: 'Mars/Base', plan: 'Growing', ...limits })).status).toBe(400);
  expect(accountState()).toMatchObject({ name: 'Lakeside', plan: 'Powerhouse', limits: { interval: 15 } });

  const hours = Object.fromEntries(['monday', 'tuesday'].map((day) => [day, '09:00-10:00, 13:00-14:00']));
  expect(await submit('calendars/11/hours', hours)).toContain('value="09:00-10:00, 13:00-14:00"');
  const free = await call('GET', `/availability/times?date=${MONDAY}&appointmentTypeID=21&calendarID=11`);
  expect(free.body).toHaveLength(6);
  expect((await post('calendars/11/hours', { monday: 'always' })).status).toBe(400);
  expect((await post('calendars/11/hours', { monday: '17:00-09:00' })).status).toBe(400);
  await submit('calendars/12', { name: 'Alder', email: 'alder@clinic.example.test', timezone: '' });
  await submit('calendars', { name: 'Juniper', email: '', timezone: 'UTC' });
  expect((await call('GET', '/calendars')).body).toMatchObject([
    { id: 11 },
    { id: 12, email: 'alder@clinic.example.test', timezone: '' },
    { name: 'Juniper', timezone: 'UTC' },
  ]);
  // Types keep their calendars.
  expect(accountState().types[0]!.calendarIDs).toEqual([11, 12]);
  await submit('calendars/12/remove');
  expect((await call('GET', '/appointment-types')).body[0].calendarIDs).toEqual([11]);
});

test('adds, changes and removes types and forms', async () => {
  const { submit, post, call, accountState } = await openConsole();
  await submit('types', {
    name: 'Walk-in',
    duration: '20',
    price: '0.00',
    active: 'true',
    'calendarIDs[]': ['', '12'],
  });
  const types = async () => (await call('GET', '/appointment-types')).body;
  const added = (await types())[2];
  expect(added).toMatchObject({ name: 'Walk-in', duration: 20, active: true, private: false, calendarIDs: [12] });
  await submit(`types/${added.id}`, { name: 'Walk-in', duration: '25', price: '5.00', 'calendarIDs[]': '' });
  expect((await types())[2]).toMatchObject({ duration: 25, active: false, calendarIDs: [] });
  expect((await post(`types/${added.id}`, { name: 'Walk-in', duration: '-1' })).status).toBe(400);
  await submit(`types/${added.id}/remove`);
  expect(await types()).toHaveLength(2);

  const question = (index: number, fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [`fields[${index}][${name}]`, value]));
  await submit('forms/31', {
    name: 'Location',
    hidden: 'true',
    'appointmentTypeIDs[]': ['', '21', '22'],
    ...question(0, { id: '41', name: 'Location', type: 'textbox' }),
    ...question(1, { id: '', name: 'Floor', type: 'dropdown', options: 'First, Second', required: 'true' }),
  });
  expect((await call('GET', '/forms')).body[0]).toMatchObject({
    hidden: true,
    appointmentTypeIDs: [21, 22],
    fields: [
      { id: 41, name: 'Location', required: false, options: null },
      { name: 'Floor', required: true, options: ['First', 'Second'] },
    ],
  });
  await submit('forms', { name: 'Empty', 'appointmentTypeIDs[]': '', ...question(0, { name: '', type: 'textbox' }) });
  expect(accountState().forms[2]).toMatchObject({ name: 'Empty', hidden: false, appointmentTypeIDs: [], fields: [] });
  await submit('forms/32/remove');
  expect((await call('GET', '/forms')).body.map(({ name }: { name: string }) => name)).toEqual(['Location', 'Empty']);
});

test('blocks time once or repeatedly, and removes the blocks', async () => {
  const { submit, call, post, accountState } = await openConsole();
  const block = { calendarID: '11', start: `${MONDAY}T09:00`, end: `${MONDAY}T17:00`, notes: 'Away' };
  await submit('blocks', { ...block, recurring: 'weekly', until: '2036-02-01' });
  expect(await submit('blocks', { ...block, calendarID: '12', recurring: '', until: '' })).toContain(
    'weekly until 2036',
  );
  expect((await call('GET', '/blocks')).body).toMatchObject([
    { calendarID: 11, start: `${MONDAY}T09:00:00-0500`, recurring: 'weekly', until: '2036-02-01' },
    { calendarID: 12, start: `${MONDAY}T09:00:00-0600` },
  ]);
  expect((await post('blocks', { ...block, end: block.start })).text).toContain('Until: It must be after the start.');
  for (const { id } of [...accountState().blocks]) await submit(`blocks/${id}/remove`);
  expect((await call('GET', '/blocks')).body).toEqual([]);
});

test('webhooks can be delayed, dropped, sent later and resent', async () => {
  const { received, url } = await startReceiver();
  const { submit, call, accountState, running, page } = await openConsole();
  const hook = (await call('POST', '/webhooks', { event: 'appointment.scheduled', target: url })).body;
  expect(await submit('traffic', { drop: 'next', delay: '0' })).toContain('The next webhook is dropped.');
  await call('POST', '/appointments', bookingInput());
  expect(await page()).toContain('Webhooks are sent.');
  expect(accountState().traffic.lost).toHaveLength(1);
  await call('POST', '/appointments', bookingInput({ datetime: `${MONDAY}T11:00:00-0500` }));
  await expect.poll(() => received.length).toBe(1);
  expect(await page()).toContain('Dropped so far: 1.');
  await submit('lost');
  await expect.poll(() => received.length).toBe(2);

  await submit('traffic', { drop: 'none', delay: '0.3' });
  const begun = performance.now();
  await call('POST', '/appointments', bookingInput({ datetime: `${MONDAY}T12:00:00-0500` }));
  await expect.poll(() => received.length, { interval: 20 }).toBe(3);
  expect(performance.now() - begun).toBeGreaterThan(250);

  await expect.poll(() => running.world.webhooks.log().every(({ status }) => status === 'delivered')).toBe(true);
  await submit(`deliveries/${running.world.webhooks.log()[0]!.id}/resend`);
  await expect.poll(() => received.length).toBe(4);
  await submit('traffic', { drop: 'all', delay: '0' });
  await submit(`webhooks/${hook.id}/remove`);
  expect((await call('GET', '/webhooks')).body).toEqual([]);
});

test('drops the same share of webhooks each time for a seed', async () => {
  const { control, call, accountState } = await openConsole({
    webhooks: [{ url: 'http://127.0.0.1:9/hook', event: 'scheduled' }],
  });
  const lostOf = async (seed: number) => {
    await control('POST', 'trigger', { name: 'drop_webhooks', account: USER_ID, share: 0.5, seed });
    accountState().traffic.lost.length = 0;
    const which: boolean[] = [];
    for (let hour = 9; hour < 17; hour++) {
      const before = accountState().traffic.lost.length;
      const datetime = `${MONDAY}T${String(hour).padStart(2, '0')}:00:00-0500`;
      const { id } = (await call('POST', '/appointments', bookingInput({ datetime }))).body;
      which.push(accountState().traffic.lost.length > before);
      await call('PUT', `/appointments/${id}/cancel?admin=true`, {});
    }
    return which.map(Number).join('');
  };
  const first = await lostOf(7);
  expect(first).toMatch(/0/);
  expect(first).toMatch(/1/);
  expect(await lostOf(7)).toBe(first);
  expect(await lostOf(8)).not.toBe(first);
  expect(
    (await control('POST', 'trigger', { name: 'drop_webhooks', account: USER_ID, all: true, next: 1 })).status,
  ).toBe(400);
});

test('rate limits and latency do not apply to the console', async () => {
  const { control, call, page, submit } = await openConsole();
  await control('PUT', 'rate-limit', { perSecond: 1, concurrent: 1 });
  expect((await call('GET', '/me')).status).toBe(200);
  expect((await call('GET', '/me')).status).toBe(429);
  for (let n = 0; n < 3; n++) expect(await page()).toContain('Appointments');
  await submit('key');
});

test('adds and clears faults', async () => {
  const { submit, call, post } = await openConsole();
  expect(await submit('faults', { kind: '503', call: 'GET /api/v1/me', times: '2' })).toContain('2 more times');
  expect((await call('GET', '/calendars')).status).toBe(200);
  expect((await call('GET', '/me')).status).toBe(503);
  expect(await submit('faults', { kind: '503', call: 'DELETE /api/v1/webhooks/:id', times: '1' })).toContain(
    'Removing a webhook, 1 more times',
  );
  expect((await call('DELETE', '/webhooks/1')).status).toBe(503);
  await submit('faults/clear');
  expect((await call('GET', '/me')).status).toBe(200);
  expect((await post('faults', { kind: 'nonsense', call: '', times: '1' })).status).toBe(400);
});

test('each break can be repaired and restores the original settings', async () => {
  const { submit, accountState } = await openConsole({ calendars: CLINIC.calendars });
  const before = JSON.stringify(accountState());
  for (const code of Object.keys(BREAKS)) {
    expect(await submit(`break/${code}`)).toContain('<strong>Broken</strong>');
    expect([code, JSON.stringify(accountState()) === before]).toEqual([code, false]);
    await submit(`repair/${code}`);
    expect(accountState().broken).toEqual({});
  }
  const { types, calendars, apiKey, plan } = accountState();
  expect({ types, calendars, apiKey, plan }).toEqual(
    (({ types: t, calendars: c, apiKey: k, plan: p }) => ({ types: t, calendars: c, apiKey: k, plan: p }))(
      JSON.parse(before),
    ),
  );
});

test('rejects a second break of the same code, and a repair keeps a manual fix', async () => {
  const { submit, post, accountState } = await openConsole({ calendars: CLINIC.calendars });
  const before = structuredClone(accountState());
  for (const code of Object.keys(BREAKS)) {
    await submit(`break/${code}`);
    expect(await post(`break/${code}`)).toMatchObject({ status: 400, text: expect.stringContaining('broken already') });
    await submit(`repair/${code}`);
  }
  const { calendars, apiKey, types } = accountState();
  expect({ calendars, apiKey, types }).toEqual({
    calendars: before.calendars,
    apiKey: before.apiKey,
    types: before.types,
  });

  await submit('break/calendar_without_email');
  const { id, name, timezone } = accountState().calendars.at(-1)!;
  await submit(`calendars/${id}`, { name, timezone, email: 'new@clinic.example.test' });
  await submit('break/location_question_missing');
  const form = accountState().forms.find((candidate) => candidate.name === 'Location')!;
  form.fields.push({ id: 4242, name: 'Location', required: false, type: 'textbox', options: null });
  for (const code of ['calendar_without_email', 'location_question_missing']) await submit(`repair/${code}`);
  expect(accountState()).toMatchObject({ broken: {} });
  expect(accountState().calendars.at(-1)).toMatchObject({ email: 'new@clinic.example.test' });
  expect(
    accountState().forms.flatMap(({ fields }) => fields.filter((field) => field.name === 'Location')),
  ).toHaveLength(1);
  expect((await post('repair/calendar_without_email')).text).toContain('There is nothing to repair.');
});

test.each([
  [
    'calendars',
    { name: '', timezone: 'Mars/Base' },
    'Name: Fill this in. Time zone: There is no such time zone. Enter one such as America/New_York.',
  ],
  [
    'settings',
    { name: 'X', timezone: 'UTC', plan: '', interval: 'abc', minHoursInAdvance: '-3', maxDaysInAdvance: '9999' },
    'Plan: Fill this in. Minutes between starts: Enter a number. Hours in advance, at least: Enter 0 or more. Days in advance, at most: Enter 730 or less.',
  ],
  [
    'types',
    { name: 'X', duration: '20.5', price: 'abc' },
    'Minutes: Enter a whole number. Price: Enter an amount such as 45.00.',
  ],
  [
    'types',
    { name: 'X', duration: '20', 'calendarIDs[]': ['', '99'] },
    'A selected item has since been removed: nothing was saved. Try again.',
  ],
  [
    'calendars/11/hours',
    { monday: '9-5', tuesday: '12:00-09:00' },
    'Monday: Write hours like 09:00-17:00. Tuesday: Hours must end after they begin.',
  ],
  ['forms', { name: 'F', 'fields[0][name]': 'Q', 'fields[0][type]': 'odd' }, 'Kind: Choose one of the options.'],
  ['traffic', { drop: 'none', delay: '999999999' }, 'Delay in seconds: Enter 600 or less.'],
  ['traffic', { drop: 'none', delay: 'soon' }, 'Delay in seconds: Enter a number.'],
  ['faults', { kind: '503', call: '', times: '1.5' }, 'Number of times: Enter a whole number, 1 or more.'],
])('%s rejects invalid input with the page’s field labels and changes nothing', async (action, fields, words) => {
  const { post, accountState } = await openConsole();
  const before = JSON.stringify(accountState());
  const { status, text } = await post(action, fields);
  expect([status, /role="alert">([^<]*)/.exec(text)?.[1]]).toEqual([400, words]);
  expect(JSON.stringify(accountState())).toBe(before);
});

test('the index lists each account, and unknown accounts and other origins are rejected', async () => {
  const { control, url, consoleUrl } = await openConsole();
  await control('PUT', 'accounts/900200', { ...CLINIC, apiKey: 'other', name: '<Other>' });
  const index = await (await fetch(url)).text();
  expect(index).toContain('/console/900200');
  expect(index).toContain('&#60;Other&#62;');
  expect((await fetch(`${url}/console/1`)).status).toBe(404);
  expect((await fetch(consoleUrl, { headers: { origin: 'http://elsewhere.example.test' } })).status).toBe(403);
  const { headers } = await fetch(consoleUrl);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});
