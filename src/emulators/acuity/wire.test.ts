import { expect, test } from 'vitest';
import { bookingInput, CLINIC, MONDAY, startAccount, USER_ID } from './test-account.ts';

const NOW = '2036-01-11T12:00:00Z';
const at = (time: string) => Date.parse(`${MONDAY}T${time}:00-05:00`);
const SHOP = {
  types: [
    {
      id: 21,
      name: 'Follow-up visit',
      duration: 30,
      price: '60.00',
      addonIDs: [61],
      image: '//pictures.test/visit.png',
    },
    { id: 22, name: 'Long visit', duration: 60, paddingAfter: 15, calendarIDs: [11] },
    { id: 23, name: 'Group walk', duration: 60, kind: 'class', classSize: 2, calendarIDs: [12] },
    { id: 24, name: 'Course', duration: 60, kind: 'series', classSize: 3, calendarIDs: [12] },
  ],
  calendars: [CLINIC.calendars[0], { ...CLINIC.calendars[1], image: '//pictures.test/alder.png', subCalendarID: 77 }],
  addons: [{ id: 61, name: 'Blood test', duration: 30, price: '25.00', private: false }],
  labels: [{ id: 81, name: 'Confirmed', color: 'green' }],
  products: [
    { id: 71, name: 'Two visits', appointmentTypeIDs: [21], counts: 2 },
    { id: 72, name: 'An hour', appointmentTypeIDs: [21, 22], minutes: 60 },
    { id: 73, name: 'Spent', appointmentTypeIDs: [21], counts: 1, expiresInDays: 0 },
    { id: 74, name: 'Of old', appointmentTypeIDs: [21], counts: 1, deleted: true },
  ],
  coupons: [{ id: 75, name: 'Welcome', appointmentTypeIDs: [21] }],
  orders: [
    {
      id: 91,
      total: '120.00',
      status: 'paid',
      at: at('08:00'),
      firstName: 'Ada',
      lastName: 'Example',
      title: 'Two visits',
    },
    {
      id: 92,
      total: '0.00',
      status: 'delivered',
      at: at('08:30'),
      firstName: 'Bo',
      lastName: 'Example',
      title: 'Gift',
    },
  ],
  classes: [
    { id: 51, typeId: 23, calendarId: 12, startAt: at('10:00'), endAt: at('11:00') },
    { id: 52, typeId: 24, calendarId: 12, startAt: at('12:00'), endAt: at('13:00') },
  ],
};
const start = (more: object = {}) => startAccount({ ...SHOP, ...more }, { now: NOW });
const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);

test('creates certificates from a package or a coupon, lists, checks and deletes them', async () => {
  const { call } = await start();
  const make = (body: object) => call('POST', '/certificates', body);
  const certificate = (await make({ productID: 71, certificate: 'TWO', email: 'ada@example.test' })).body;
  expect(certificate).toEqual({
    id: expect.any(Number),
    certificate: 'TWO',
    productID: 71,
    orderID: null,
    appointmentTypeIDs: [21],
    name: 'Two visits',
    email: 'ada@example.test',
    type: 'counts',
    remainingCounts: { 21: 2 },
    remainingMinutes: null,
    expiration: null,
  });
  expect((await make({ couponID: 75 })).body.certificate).toMatch(/^[0-9A-F]{8}$/);
  for (const body of [{}, { productID: 71, couponID: 75 }, { productID: 74 }, { productID: 71, certificate: 'two' }])
    expect((await make(body)).body.error).toBe('bad_request');
  expect((await make({ productID: 71, email: 'ada' })).body.error).toBe('invalid_email');
  expect((await call('GET', '/certificates')).body).toHaveLength(2);
  expect(ids((await call('GET', '/certificates?email=ADA@example.test')).body)).toEqual([certificate.id]);
  const check = (query: string) => call('GET', `/certificates/check?certificate=TWO&${query}`);
  expect((await check('appointmentTypeID=21&email=ada@example.test')).body.id).toBe(certificate.id);
  expect((await check('appointmentTypeID=22')).body.error).toBe('invalid_certificate_type');
  expect((await check('appointmentTypeID=21&email=bo@example.test')).body.error).toBe('invalid_certificate');
  expect((await call('DELETE', `/certificates/${certificate.id}`)).status).toBe(204);
  expect((await call('DELETE', `/certificates/${certificate.id}`)).status).toBe(404);
  expect((await check('appointmentTypeID=21')).body.error).toBe('invalid_certificate');
});

test('booking uses the certificate, canceling credits it, and unusable certificates are rejected', async () => {
  const { call } = await start();
  const make = async (body: object) => (await call('POST', '/certificates', body)).body;
  await make({ productID: 71, certificate: 'TWO' });
  await make({ productID: 72, certificate: 'HOUR' });
  await make({ productID: 73, certificate: 'SPENT' });
  const book = async (certificate: string, more: object = {}) =>
    (await call('POST', '/appointments', bookingInput({ certificate, fields: [], ...more }))).body;
  const readCertificate = async (code: string) =>
    (await call('GET', '/certificates')).body.find((one: { certificate: string }) => one.certificate === code);
  const first = await book('two');
  expect(first).toMatchObject({ certificate: 'TWO', price: '60.00', priceSold: '0.00', paid: 'yes' });
  const next = await book('TWO', { datetime: `${MONDAY}T11:00:00-0500` });
  const third = { datetime: `${MONDAY}T12:00:00-0500` };
  expect((await book('TWO', third)).error).toBe('certificate_uses');
  expect((await book('SPENT', third)).error).toBe('expired_certificate');
  expect((await book('NONE', third)).error).toBe('invalid_certificate');
  expect((await call('GET', '/certificates/check?certificate=TWO&appointmentTypeID=21')).body.error).toBe(
    'certificate_uses',
  );
  await call('PUT', `/appointments/${next.id}/cancel?admin=true`, {});
  expect((await readCertificate('TWO')).remainingCounts).toEqual({ 21: 1 });
  await book('HOUR', third);
  expect((await readCertificate('HOUR')).remainingMinutes).toBe(30);
  const updateCertificate = (body: object, query: string) => call('PUT', `/appointments/${first.id}${query}`, body);
  expect((await updateCertificate({ certificate: 'HOUR' }, '')).body.certificate).toBe('TWO');
  expect((await updateCertificate({ certificate: 'HOUR' }, '?admin=true')).body.certificate).toBe('HOUR');
  expect((await readCertificate('HOUR')).remainingMinutes).toBe(0);
  expect((await readCertificate('TWO')).remainingCounts).toEqual({ 21: 2 });
});

test('lists orders and products', async () => {
  const { call } = await start();
  expect(ids((await call('GET', '/orders')).body)).toEqual([92, 91]);
  expect(ids((await call('GET', '/orders?max=1')).body)).toEqual([92]);
  expect((await call('GET', '/orders/91')).body).toEqual({
    id: 91,
    total: '120.00',
    status: 'paid',
    time: `${MONDAY}T08:00:00-0500`,
    firstName: 'Ada',
    lastName: 'Example',
    phone: '',
    email: '',
    title: 'Two visits',
    notes: '',
  });
  expect((await call('GET', '/orders/1')).status).toBe(404);
  expect(ids((await call('GET', '/products')).body)).toEqual([71, 72, 73]);
  expect(ids((await call('GET', '/products?deleted=true')).body)).toEqual([74]);
});

test('add-ons extend the appointment, in both list notations', async () => {
  const { call } = await start();
  expect((await call('GET', '/appointment-addons')).body).toEqual(SHOP.addons);
  const query = `/availability/times?date=${MONDAY}&appointmentTypeID=21&calendarID=11`;
  const count = async (suffix: string) => (await call('GET', query + suffix)).body.length;
  expect(await count('')).toBe(16);
  for (const suffix of ['&addonIDs[]=61', '&addonIDs[0]=61']) expect(await count(suffix)).toBe(15);
  expect((await call('GET', `${query}&addonIDs[]=62`)).status).toBe(400);
  expect((await call('GET', '/availability/dates?month=2036-01&appointmentTypeID=21&addonIDs[0]=61')).status).toBe(200);
  const last = { datetime: `${MONDAY}T16:30:00-0500`, appointmentTypeID: 21, calendarID: 11 };
  const valid = async (more: object) =>
    (await call('POST', '/availability/check-times', { ...last, ...more })).body.valid;
  expect([await valid({}), await valid({ addonIDs: [61] })]).toEqual([true, false]);
  expect((await call('POST', '/appointments', bookingInput({ addonIDs: [61] }))).body).toMatchObject({
    addonIDs: [61],
    duration: '60',
    endTime: '11:00am',
    price: '85.00',
  });
});

test('a label is set with a booking, changed and removed', async () => {
  const { call } = await start();
  expect((await call('GET', '/labels')).body).toEqual(SHOP.labels);
  const { id, labels } = (await call('POST', '/appointments', bookingInput({ labels: [{ id: 81 }] }))).body;
  expect(labels).toEqual(SHOP.labels);
  const set = async (wanted: unknown) => (await call('PUT', `/appointments/${id}`, { labels: wanted })).body;
  expect((await set([])).labels).toBeNull();
  expect((await set([{ id: 81 }, { id: 81 }])).error).toBe('bad_request');
  expect((await set([{ id: 82 }])).error).toBe('bad_request');
});

test('appointments and settings include the fields that only some accounts use', async () => {
  const { call } = await start();
  const { body } = await call(
    'POST',
    '/appointments',
    bookingInput({ calendarID: 12, datetime: `${MONDAY}T14:00:00-0500` }),
  );
  expect(body).toMatchObject({ subCalendarID: 77, isVerified: false, classID: null, certificate: null });
  expect((await call('POST', '/appointments', bookingInput())).body.subCalendarID).toBeNull();
  expect((await call('GET', '/calendars')).body).toMatchObject([
    { image: '', thumbnail: '' },
    { image: '//pictures.test/alder.png', thumbnail: '//pictures.test/alder.png' },
  ]);
  expect((await call('GET', '/appointment-types')).body).toMatchObject([
    { image: '//pictures.test/visit.png', type: 'service', classSize: null },
    { image: '' },
    { type: 'class', classSize: 2 },
    { type: 'series' },
  ]);
});

test('returns form answers as text regardless of their input type', async () => {
  const fields = [
    { id: 43, name: 'Allergies', type: 'checkboxlist', options: ['Nuts', 'Pollen', 'Cats'] },
    { id: 44, name: 'Consent', type: 'checkbox' },
    { id: 45, name: 'Age', type: 'textbox' },
  ];
  const { call } = await start({ forms: [{ id: 33, name: 'Intake', appointmentTypeIDs: [21], fields }] });
  const answers = [
    { id: 43, value: ['Nuts', 'Cats'] },
    { id: 44, value: true },
    { id: 45, value: 44 },
  ];
  const { forms } = (await call('POST', '/appointments', bookingInput({ fields: answers }))).body;
  expect(forms[0].values.map(({ value }: { value: string }) => value)).toEqual(['Nuts, Cats', 'yes', '44']);
});

test('lists classes by month or by days, with their free places', async () => {
  const { call } = await start();
  const list = async (query: string) => (await call('GET', `/availability/classes?${query}`)).body;
  expect(await list('month=2036-01&appointmentTypeID=23')).toEqual([
    {
      id: 51,
      appointmentTypeID: 23,
      calendarID: 12,
      name: 'Group walk',
      description: '',
      time: `${MONDAY}T10:00:00-0500`,
      calendar: 'Alder Example',
      duration: 60,
      isSeries: false,
      slots: 2,
      slotsAvailable: 2,
    },
  ]);
  expect(ids(await list(`minDate=${MONDAY}&maxDate=${MONDAY}`))).toEqual([51, 52]);
  expect(ids(await list('month=2036-02'))).toEqual([]);
  expect(ids(await list('calendarID=11'))).toEqual([]);
  expect((await call('GET', '/availability/classes?month=soon')).status).toBe(400);
  const join = (more: object = {}) =>
    call('POST', '/appointments', bookingInput({ appointmentTypeID: 23, calendarID: 12, ...more }));
  expect((await join()).body.classID).toBe(51);
  const times = await call('GET', `/availability/times?date=${MONDAY}&appointmentTypeID=23`);
  expect(times.body).toEqual([{ time: `${MONDAY}T10:00:00-0500`, slotsAvailable: 1 }]);
  const last = (await join()).body;
  expect((await join()).body.error).toBe('not_available');
  expect((await join({ datetime: `${MONDAY}T09:00:00-0500` })).body.error).toBe('not_available');
  expect(ids(await list('appointmentTypeID=23'))).toEqual([]);
  expect((await list('appointmentTypeID=23&includeUnavailable=true'))[0].slotsAvailable).toBe(0);
  await call('PUT', `/appointments/${last.id}/cancel`, {});
  expect((await join()).status).toBe(200);
  const booked = (await join({ appointmentTypeID: 24, datetime: `${MONDAY}T12:00:00-0500` })).body;
  const moved = await call('PUT', `/appointments/${booked.id}/reschedule`, { datetime: `${MONDAY}T12:00:00-0500` });
  expect(moved.body.error).toBe('reschedule_series');
});

test('a recurring block closes each of its days until it ends', async () => {
  const { call, running } = await start();
  const block = { start: `${MONDAY}T09:00:00-0500`, end: `${MONDAY}T17:00:00-0500`, calendarID: 11, notes: 'Mondays' };
  const { id } = (await call('POST', '/blocks', block)).body;
  expect((await call('GET', `/blocks/${id}`)).body).not.toHaveProperty('recurring');
  const storedBlock = running.world.state.accounts[USER_ID]!.blocks[0]!;
  Object.assign(storedBlock, { recurring: 'weekly', until: '2036-01-28' });
  expect((await call('GET', `/blocks/${id}`)).body).toMatchObject({ recurring: 'weekly', until: '2036-01-28' });
  const free = async (date: string) =>
    (await call('GET', `/availability/times?date=${date}&appointmentTypeID=21&calendarID=11`)).body.length;
  for (const [date, times] of [
    ['01-14', 0],
    ['01-15', 16],
    ['01-21', 0],
    ['01-28', 0],
    ['02-04', 16],
  ] as const)
    expect([date, await free(`2036-${date}`)]).toEqual([date, times]);
  expect(ids((await call('GET', '/blocks?minDate=2036-01-21&maxDate=2036-01-21')).body)).toEqual([id]);
  expect((await call('GET', '/blocks?minDate=2036-01-22&maxDate=2036-01-22')).body).toEqual([]);
  expect((await call('GET', '/blocks?minDate=2036-02-01')).body).toEqual([]);
});

test('a plan without API access gets 403 on every route', async () => {
  const { call, control } = await start({ plan: 'Growing' });
  for (const path of ['/me', '/calendars', '/appointments'])
    expect((await call('GET', path)).body).toEqual({ status_code: 403, message: 'Forbidden', error: 'forbidden' });
  await control('PATCH', `accounts/${USER_ID}`, { plan: 'Powerhouse' });
  expect((await call('GET', '/me')).body.plan).toBe('Powerhouse');
});
