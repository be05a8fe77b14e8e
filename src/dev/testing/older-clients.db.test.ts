import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '#contract/routes.ts';
import { newId } from '#server/core/ids.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { getCatalogue } from '#server/scheduling/catalogue/catalogue.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { ATTEMPT } from './password-client.ts';
import type { RestResponse } from './rest-client.ts';
import { readOffer } from './sample-targets.ts';
import { type Offer, takeSlot } from './samples/sample.ts';

type Reply = Pick<RestResponse, 'status' | 'headers' | 'body'>;

let clinic: Sandbox;
let offer: Offer;
let token: string;
let asPatient: (id: string) => Promise<string>;

beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  const credentials = await clinic.application(clinic.ctx);
  token = await clinic.token(credentials);
  const rowan = { name: 'Rowan Example', email: 'rowan.example@riverbend.example.test', role: 'practitioner' };
  await clinic.ctx.db.staffUser.create({ data: { id: newId(), tenantId: clinic.ctx.tenantId, ...rowan } });
  await getCatalogue(clinic.ctx, 0);
  asPatient = (id) => clinic.impersonate(credentials, id);
  offer = await readOffer(clinic, token);
});
afterAll(() => clinic?.stop());

const call = async (method: string, path: string, body?: unknown, by = token): Promise<Reply> =>
  clinic.rest.call({ method, path, token: by, ...(body !== undefined && { body }) });
const get = (path: string, by?: string) => call('GET', path, undefined, by);
const post = (path: string, body: unknown, by?: string) => call('POST', path, body, by);
/** The status, code and field of an error. */
const error = ({ status, body }: Reply) => [status, body.errors?.[0].code, Object.values(body.errors?.[0].source)[0]];
const ids = ({ body }: Reply): unknown[] => body.map(({ id }: { id: unknown }) => id);

let people = 0;
async function createPatient(more: object = {}) {
  people += 1;
  const created = await post('/patients', { email: `older-${people}@example.test`, ...more });
  expect([created.status, created.body.errors]).toEqual([201, undefined]);
  return created.body;
}
async function createAppointment(patient_id: string) {
  const { from_date, calendar_id } = takeSlot(offer);
  const booked = await post('/appointments', { patient_id, appointment_type_id: offer.typeId, from_date, calendar_id });
  expect(booked.status).toBe(201);
  return booked.body;
}
/** Signs up and in a number with the fixed code of test numbers. */
async function signUp(attributes: object): Promise<{ signedUp: Reply; me: RestResponse['body'] }> {
  people += 1;
  const phone_number = `+13125550${100 + people}`;
  const { passwordless } = await getConfigurationTokens(clinic.ctx);
  const { client_id } = JSON.parse(Buffer.from(passwordless.split('_')[2]!, 'base64url').toString());
  const postIdentity = async (path: string, body: object): Promise<Reply> => {
    const response = await fetch(`${clinic.url}/identity/passwordless/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: {}, body: text ? JSON.parse(text) : null };
  };
  const signedUp = await postIdentity('sign_up', { client_id, phone_number, attempt: ATTEMPT, attributes });
  if (signedUp.status !== 202) return { signedUp, me: null };
  const { challenge } = (await postIdentity('sign_in', { client_id, phone_number })).body;
  const { access_token } = (await postIdentity('complete', { challenge, attempt: ATTEMPT, code: '424242' })).body;
  return { signedUp, me: (await get('/patients/me', access_token)).body };
}

/** The tests, keyed by the first cell of the guide's table. */
const ROWS: Record<string, () => Promise<void>> = {
  async '`page` and `size` on every list'() {
    const appointment = await createAppointment((await createPatient()).id);
    const endpoint = await clinic.ctx.db.webhookEndpoint.findFirst();
    const needed: Record<string, string> = {
      '/availability': `appointment_type_id=${offer.typeId}&from_date=${appointment.from_date.slice(0, 10)}`,
      '/availability/next': `appointment_type_id=${offer.typeId}&count=3`,
      '/availability/explain': `appointment_type_id=${offer.typeId}&from_date=${encodeURIComponent(appointment.from_date)}`,
      '/setup_intents': `patient_id=${appointment.patient_id}`,
      '/payment_methods': `patient_id=${appointment.patient_id}`,
    };
    const lists = ROUTES.filter(({ list, path }) => list && !path.startsWith('/webhook_endpoints/{'));
    expect([lists.length > 12, endpoint]).toEqual([true, null]);
    for (const { path } of lists) {
      const address = `${path.replace('{id}', appointment.id)}?${needed[path] ?? ''}`;
      const first = await get(`${address}&page=1&size=1`);
      const { 'total-count': count, 'current-page': current, 'page-items': items } = first.headers;
      expect([path, first.status, current, Number(items)]).toEqual([path, 200, '1', first.body.length]);
      expect(first.body).toHaveLength(Math.min(1, Number(count)));
      expect((await get(`${address}&page=0`)).status).toBe(422);
      expect(error(await get(`${address}&page=1&size=many`))).toEqual([422, 'invalid_parameter', 'size']);
      expect(error(await get(`${address}&per_page=1`))).toEqual([422, 'unknown_parameter', 'per_page']);
      if (Number(count) < 2) continue;
      const second = await get(`${address}&page=2&size=1`);
      expect([path, second.body]).not.toEqual([path, first.body]);
      expect(first.headers.link).toContain('page=2');
      expect(first.headers.link).not.toContain('{');
    }
    for (const also of ['after_sequence=1', 'wait=1'])
      expect(error(await get(`/events?page=1&${also}`))).toEqual([422, 'invalid_parameter', 'page']);
  },
  async 'A list of plans, appointment types, calendars or free slots without `size`'() {
    const type = `appointment_type_id=${offer.typeId}&from_date=${offer.times.at(-1)!.from_date.slice(0, 10)}`;
    for (const path of ['/subscription_plans?', '/appointment_types?', '/calendars?', `/availability?${type}`]) {
      const complete = await get(path);
      expect([path, complete.status, complete.headers.link]).toEqual([path, 200, undefined]);
      const counted = await get(`${path}&size=1&page=1`);
      expect([path, complete.body.length]).toEqual([path, Number(counted.headers['total-count'])]);
    }
  },
  async '`by_age` on patients'() {
    const born = (years: number) => `${new Date().getUTCFullYear() - years}-01-01`;
    const [old, older, other] = [
      await createPatient({ birth_date: born(91) }),
      await createPatient({ birth_date: born(93) }),
      await createPatient({ birth_date: born(92) }),
    ];
    const matches = ids(await get('/patients?by_age=91,93'));
    expect(matches).toEqual([older.id, old.id]);
    expect(matches).not.toContain(other.id);
    expect(ids(await get('/patients?by_age=91&by_age=93'))).toEqual([]);
    for (const wrong of ['old', '91,old', '-1', '151', '91.5', ''])
      expect(error(await get(`/patients?by_age=${wrong}`))).toEqual([422, 'invalid_parameter', 'by_age']);
  },
  async '`races` as texts'() {
    const both = ['Asian', { level_2_display: 'White', level_3_display: 'Irish' }];
    const patient = await createPatient({ races: both });
    const shown = [{ level_2_display: 'Asian', level_3_display: null }, both[1]];
    expect(patient.races).toEqual(shown);
    const changed = await call('PATCH', `/patients/${patient.id}`, { races: ['White'] });
    expect(changed.body.races).toEqual([{ level_2_display: 'White', level_3_display: null }]);
    const wrong = [
      [7],
      'Asian',
      [''],
      [{ level_3_display: 'Irish' }],
      [{ level_2_display: 'White', code: 1 }],
      ['a\u001fb'],
    ];
    for (const races of wrong) expect((await post('/patients', { races })).status).toBe(422);
  },
  async '`races` in responses'() {
    const patient = await createPatient({
      races: ['Asian'],
      ethnicities: [{ level_2_display: 'Not Hispanic or Latino' }],
    });
    expect(Object.keys(patient.races[0])).toEqual(Object.keys(patient.ethnicities[0]));
    expect((await get(`/patients?by_id=${patient.id}`)).body[0].races).toEqual(patient.races);
    expect((await get(`/patients/${patient.id}`)).body.races).toEqual(patient.races);
  },
  async '`attendee_ids` on appointments, with commas between'() {
    const [ada, bo] = [
      await createAppointment((await createPatient()).id),
      await createAppointment((await createPatient()).id),
    ];
    const both = `${ada.patient_id},${bo.patient_id}`;
    expect(ids(await get(`/appointments?attendee_ids=${both}`)).sort()).toEqual([ada.id, bo.id].sort());
    const repeated = `attendee_ids[]=${ada.patient_id}&attendee_ids[]=${bo.patient_id}`;
    expect(ids(await get(`/appointments?${repeated}`)).sort()).toEqual([ada.id, bo.id].sort());
    expect(ids(await get(`/appointments?attendee_ids=${both}&patient_id=${ada.patient_id}`))).toEqual([ada.id]);
    const apart = await get(`/appointments?attendee_ids=${bo.patient_id}&patient_id=${ada.patient_id}`);
    expect(error(apart)).toEqual([422, 'invalid_parameter', 'attendee_ids']);
    for (const wrong of ['', 'ada', `${ada.patient_id},`, `${ada.patient_id};${bo.patient_id}`])
      expect((await get(`/appointments?attendee_ids=${wrong}`)).status).toBe(422);
    const theirs = await get(`/appointments?attendee_ids=${both}`, await asPatient(ada.patient_id));
    expect(theirs.status).toBe(403);
  },
  async '`calendar_id` on calendars'() {
    const all = ids(await get('/calendars'));
    expect(ids(await get(`/calendars?calendar_id=${all[1]}`))).toEqual([all[1]]);
    expect(ids(await get('/calendars?calendar_id=999999'))).toEqual([]);
    expect(error(await get('/calendars?calendar_id=first'))).toEqual([422, 'invalid_parameter', 'calendar_id']);
  },
  async '`user_ids` on calendars'() {
    const staff = (await get('/practitioners')).body as { id: string; calendars: { id: number }[] }[];
    const unknown = crypto.randomUUID();
    const theirs = staff.flatMap(({ calendars }) => calendars.map(({ id }) => id)).sort();
    expect(theirs).toHaveLength(1);
    const userIds = [unknown, ...staff.map(({ id }) => id)].join(',');
    expect(ids(await get(`/calendars?user_ids=${userIds}`)).sort()).toEqual(theirs);
    expect(ids(await get(`/calendars?user_ids[]=${unknown}`))).toEqual([]);
    expect(error(await get('/calendars?user_ids=rowan'))[0]).toBe(422);
  },
  async 'Offsets without a colon'() {
    const patient = await createPatient();
    const { from_date, calendar_id } = takeSlot(offer);
    const withoutColon = from_date.replace(/:(\d\d)$/, '$1');
    expect(withoutColon).toMatch(/[+-]\d{4}$/);
    const what = { patient_id: patient.id, appointment_type_id: offer.typeId, calendar_id };
    const booked = await post('/appointments', { ...what, from_date: withoutColon });
    expect([booked.status, booked.body.from_date]).toEqual([201, from_date]);
    const after = encodeURIComponent(withoutColon);
    expect(ids(await get(`/appointments?patient_id=${patient.id}&scheduled_after=${after}`))).toEqual([booked.body.id]);
    for (const wrong of ['-05', '-5', '-05000', '0500', '-9900'])
      expect((await post('/appointments', { ...what, from_date: from_date.slice(0, 19) + wrong })).status).toBe(422);
  },
  async 'A plain date in `scheduled_after` and `scheduled_before`'() {
    const patient = await createPatient();
    const appointment = await createAppointment(patient.id);
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(
      new Date(appointment.from_date),
    );
    const move = (days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
    const within = (query: string) => get(`/appointments?patient_id=${patient.id}&${query}`).then(ids);
    expect(await within(`scheduled_after=${day}&scheduled_before=${day}`)).toEqual([appointment.id]);
    expect(await within(`scheduled_after=${move(1)}`)).toEqual([]);
    expect(await within(`scheduled_before=${move(-1)}`)).toEqual([]);
    for (const wrong of ['2026-02-30', '23.11.2026', 'today', '2026-11', '9999-12-31', '0000-01-01'])
      expect((await get(`/appointments?scheduled_before=${wrong}`)).status).toBe(422);
  },
  async '`promotion_code: null`'() {
    const { id } = await createPatient();
    const what = { patient_id: id, price_ids: [offer.priceId], promotion_code: null };
    const created = await post('/subscriptions', what);
    expect([created.status, created.body.discount]).toEqual([201, null]);
    for (const promotion_code of ['', 7, false, ['SPRING']])
      expect(error(await post('/subscriptions', { ...what, promotion_code }))[1]).toBe('invalid_parameter');
  },
  async '`patient_id` in the body of a cancel'() {
    const [ada, bo] = [await createPatient(), await createPatient()];
    const appointment = await createAppointment(ada.id);
    const subscription = await post('/subscriptions', { patient_id: ada.id, price_ids: [offer.trialPriceId] });
    for (const path of [`/appointments/${appointment.id}/cancel`, `/subscriptions/${subscription.body.id}/cancel`]) {
      expect(error(await post(path, { patient_id: bo.id }))).toEqual([422, 'invalid_parameter', '/patient_id']);
      expect(error(await post(path, { patient_id: null }))[0]).toBe(422);
      expect(error(await post(path, { customer_id: ada.id }))[1]).toBe('unknown_parameter');
      expect((await post(path, { patient_id: ada.id }, await asPatient(bo.id))).status).toBe(404);
      const done = await post(path, { patient_id: ada.id }, await asPatient(ada.id));
      expect([path, done.status, done.body.status]).toEqual([path, 200, 'canceled']);
    }
  },
  async '`phones_attributes` at an invitation'() {
    const invite = (body: object) => post('/patients/invite', body);
    const [work, home] = ['+12125550101', '+12125550102'];
    const phones_attributes = [
      { number: work, label: 'work' },
      { number: home, primary: true },
    ];
    const invited = await invite({ phones_attributes });
    expect([invited.status, invited.body.phone_number, invited.body.status]).toEqual([201, home, 'invited']);
    const same = await invite({ phone_number: '(212) 555-0103', phones_attributes: [{ number: '+12125550103' }] });
    expect(same.body.phones).toMatchObject([{ number: '+12125550103', primary: true }]);
    const apart = await invite({ phone_number: work, phones_attributes: [{ number: '+12125550104', primary: true }] });
    expect(error(apart)[0]).toBe(422);
    const british = await invite({ phones_attributes: [{ number: '+442079460000' }] });
    expect(error(british)).toEqual([422, 'phone_number_not_supported', '/phones_attributes/0/number']);
    expect((await invite({ phones_attributes: [] })).status).toBe(422);
    expect((await invite({ phones_attributes: [{ number: work, active: false }] })).status).toBe(422);
  },
  async '`accepted_terms_of_service` in `metadata`'() {
    const { me } = await signUp({ metadata: { accepted_terms_of_service: true } });
    expect(me).toMatchObject({ metadata: { accepted_terms_of_service: true }, accepted_terms_of_service_at: null });
  },
  async '`accepted_terms_of_service` as an attribute of a sign-up'() {
    const before = Date.now();
    const { me } = await signUp({ accepted_terms_of_service: true, metadata: { accepted_terms_of_service: true } });
    const at = Date.parse(me.accepted_terms_of_service_at);
    expect([at >= before, at <= Date.now()]).toEqual([true, true]);
    expect((await call('PATCH', `/patients/${me.id}`, { first_name: 'Ada' })).body.accepted_terms_of_service_at).toBe(
      me.accepted_terms_of_service_at,
    );
    for (const accepted_terms_of_service of [false, null, 'true', 1])
      expect((await signUp({ accepted_terms_of_service })).signedUp.status).toBe(422);
    const apart = { accepted_terms_of_service: true, metadata: { accepted_terms_of_service: false } };
    expect(error((await signUp(apart)).signedUp)).toEqual([422, 'invalid_parameter', '/attributes/metadata']);
    for (const path of ['/patients', '/patients/invite'])
      expect(error(await post(path, { accepted_terms_of_service: true }))[1]).toBe('unknown_parameter');
  },
  async '`start` and `end` of appointments'() {
    const appointment = await createAppointment((await createPatient()).id);
    for (const shown of [appointment, (await get(`/appointments/${appointment.id}`)).body])
      expect([shown.start, shown.end]).toEqual([appointment.from_date, appointment.to_date]);
    const events = await get(`/events?object_id=${appointment.id}`);
    expect(events.body[0].payload).toMatchObject({ start: appointment.from_date, end: appointment.to_date });
  },
  async 'A patient’s `GET /appointments` without `patient_id`'() {
    const [ada, bo] = [
      await createAppointment((await createPatient()).id),
      await createAppointment((await createPatient()).id),
    ];
    const by = await asPatient(ada.patient_id);
    expect(ids(await get('/appointments', by))).toEqual([ada.id]);
    expect((await get(`/appointments?patient_id=${bo.patient_id}`, by)).status).toBe(403);
    expect((await get('/subscriptions', by)).status).toBe(403);
  },
};

type Selects = (one: RestResponse['body']) => boolean;
/** A query and what it selects; null for a query that is rejected. */
type Part = [query: string, selects: Selects | null];
/** All pairs of parts of different groups. */
const pairsOf = (groups: Part[][]): [Part, Part][] =>
  groups.flatMap((group, index) =>
    groups.slice(index + 1).flatMap((other) => group.flatMap((one) => other.map((two): [Part, Part] => [one, two]))),
  );

/** The lists that take aliases, with groups of parameters that can be sent together. */
async function partsOfLists(): Promise<Record<string, Part[][]>> {
  const ages = [95, 97];
  const born = (years: number) => `${new Date().getUTCFullYear() - years}-01-01`;
  const [ada, bo] = [await createPatient({ birth_date: born(95) }), await createPatient({ birth_date: born(97) })];
  const booked = [await createAppointment(ada.id), await createAppointment(bo.id), await createAppointment(ada.id)];
  const middle = booked.sort((one, other) => Date.parse(one.from_date) - Date.parse(other.from_date))[1];
  const clinicDay = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' });
  const dayOf = ({ from_date }: { from_date: string }) => clinicDay.format(new Date(from_date));
  const instant = encodeURIComponent(middle.from_date.replace(/:(\d\d)$/, '$1'));
  const [practitioner] = (await get('/practitioners')).body;
  const own = practitioner.calendars.map(({ id }: { id: number }) => id);
  const of =
    (...patients: string[]): Selects =>
    ({ patient_id }) =>
      patients.includes(patient_id);
  const paged: Part[] = [
    ['page=1', () => true],
    ['page=none', null],
  ];
  return {
    '/appointments': [
      paged,
      [[`patient_id=${ada.id}`, of(ada.id)]],
      [
        [`attendee_ids=${ada.id}`, of(ada.id)],
        [`attendee_ids=${ada.id},${bo.id}`, of(ada.id, bo.id)],
        [`attendee_ids[]=${bo.id}&attendee_ids[]=${ada.id}`, of(ada.id, bo.id)],
        [`attendee_ids=${ada.id};${bo.id}`, null],
      ],
      [
        [`scheduled_after=${dayOf(middle)}`, (one) => dayOf(one) >= dayOf(middle)],
        [`scheduled_after=${instant}`, (one) => Date.parse(one.from_date) >= Date.parse(middle.from_date)],
        ['scheduled_after=7', null],
      ],
      [
        [`scheduled_before=${dayOf(middle)}`, (one) => dayOf(one) <= dayOf(middle)],
        [`scheduled_before=${dayOf(middle)}T24:30:00-0500`, null],
      ],
    ],
    '/calendars': [
      paged,
      [
        [`calendar_id=${own[0]}`, ({ id }) => id === own[0]],
        [`calendar_id[]=${own[0]}`, null],
      ],
      [
        [`user_ids=${practitioner.id},${ada.id}`, ({ id }) => own.includes(id)],
        [`user_ids[]=${bo.id}`, () => false],
        ['user_ids=,', null],
      ],
    ],
    '/patients': [
      paged,
      [
        [`by_age=${ages}`, ({ age }) => ages.includes(age)],
        ['by_age=95.5', null],
      ],
      [
        [`by_id=${bo.id}`, ({ id }) => id === bo.id],
        [`by_email=${ada.email}`, ({ id }) => id === ada.id],
      ],
    ],
  };
}

test('two aliases at once select what both select, and are rejected if one of them is wrong', async () => {
  for (const [path, groups] of Object.entries(await partsOfLists())) {
    const all = (await get(`${path}?size=1000`)).body as { id: unknown }[];
    for (const [[one, selects], [other, alsoSelects]] of pairsOf(groups)) {
      const query = `${path}?size=1000&${one}&${other}`;
      const reply = await get(query);
      const selected = selects && alsoSelects && all.filter((row) => selects(row) && alsoSelects(row));
      expect([query, reply.status, reply.status === 200 && ids(reply).sort()]).toEqual(
        selected ? [query, 200, ids({ ...reply, body: selected }).sort()] : [query, 422, false],
      );
    }
  }
});

describe('the guide’s table for older clients', () => {
  const guide = readFileSync('src/docs/api/guides/older-clients.md', 'utf8');
  const rows = [...guide.matchAll(/^\| (.+?) \| .+ \|$/gm)].map(([, alias]) => alias!.replaceAll("'", '’'));

  test('has a test for each row', () => {
    expect(rows.slice(1)).toEqual(Object.keys(ROWS));
  });

  test.each(Object.keys(ROWS))('%s', (row) => ROWS[row]!());
});
