import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApplication } from '#server/identity/applications/router.ts';
import {
  CarelaneApiError,
  type Client,
  clientCredentials,
  createClient,
  impersonation,
  type Schemas,
} from '../../client/index.ts';
import { verifyWebhook } from '../../client/webhooks.ts';
import { asAdmin } from './actors.ts';
import { type Booking, withBooking } from './booking.ts';
import { withClinic } from './clinic.ts';
import { freePort, serveHandlers } from './http-server.ts';
import { startReceiver } from './webhook-receiver.ts';

/** The published client against the running service. */
let clinic: Booking;
let server: { stop(): Promise<void> };
let application: { tokenUrl: string; clientId: string; clientSecret: string };
let baseUrl: string;
let carelane: Client;
/** Number of responses still to be lost on the way back. */
let losing = 0;
const sent: string[] = [];
const unreliable: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  sent.push(String(response.status));
  if (losing === 0) return response;
  losing -= 1;
  await response.body?.cancel();
  throw new TypeError('terminated');
};

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  clinic = await withBooking(await withClinic({ acuity: true, env: { PUBLIC_URL: url } }));
  server = await serveHandlers(clinic.services, port);
  const created = await createApplication(asAdmin(clinic.services, clinic.tenant), {
    name: 'Server',
    scopes: ['admin'],
  });
  const { client_secret: clientSecret } = created;
  application = { tokenUrl: `${url}/identity/oauth2/token`, clientId: created.application.client_id, clientSecret };
  baseUrl = `${url}/api/v1`;
  carelane = createClient({ baseUrl, tokens: clientCredentials(application), fetch: unreliable });
});
afterAll(async () => {
  await server?.stop();
  await clinic?.stop();
});

const failure = (call: Promise<unknown>): Promise<CarelaneApiError> =>
  call.then(
    () => expect.fail('it succeeded'),
    (error) => {
      expect(error).toBeInstanceOf(CarelaneApiError);
      return error;
    },
  );
const freeTimes = (day: string): Promise<Schemas['Availability'][]> =>
  carelane.get('/availability', { query: { appointment_type_id: 21, from_date: day, to_date: day, calendar_id: 11 } });

test('reads a list page by page to its end, with the requested filter', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    ids.push((await carelane.post('/patients', { body: { first_name: 'Paged' } })).id);
  }
  const read: string[] = [];
  for await (const { id } of carelane.all('/patients', { query: { size: 2, by_first_name: 'Paged' } })) read.push(id);
  expect(read).toEqual(ids.toReversed());
  const { headers } = await carelane.request('get', '/patients', { query: { size: 1, with_total: true } });
  expect(Number(headers.get('total-count'))).toBeGreaterThanOrEqual(5);
});

test('a booking whose response is lost twice is created once', async () => {
  const [{ from_date } = { from_date: '' }] = await freeTimes(clinic.nextDay());
  losing = 2;
  sent.length = 0;
  const appointment = await carelane.post('/appointments', { body: clinic.wish(from_date, { calendar_id: 11 }) });
  expect(sent).toEqual(['201', '201', '201']);
  expect(clinic.acuity.booked().filter(({ canceled }) => !canceled).length).toBe(1);
  const { status } = await carelane.post('/appointments/{id}/cancel', { path: { id: appointment.id } });
  expect(status).toBe('canceled');
});

test('a taken slot returns typed alternatives', async () => {
  const [first] = await freeTimes(clinic.nextDay());
  const body = clinic.wish(first!.from_date, { calendar_id: 11 });
  await carelane.post('/appointments', { body });
  const { id: patient_id } = await carelane.post('/patients', { body: { first_name: 'Late' } });
  const error = await failure(carelane.post('/appointments', { body: { ...body, patient_id } }));
  expect([error.code, error.status]).toEqual(['slot_taken', 409]);
  const [nearest] = error.meta.alternatives ?? [];
  const moved = await carelane.post('/appointments', {
    body: { ...body, patient_id, from_date: nearest!.from_date },
  });
  expect(Date.parse(moved.from_date)).toBe(Date.parse(nearest!.from_date));
});

test('reports every validation error with its field, and the request id', async () => {
  const body = { email: 'no address', first_name: 5 } as unknown as { email: string };
  const error = await failure(carelane.post('/patients', { body }));
  expect(error.errors.map(({ source }) => source?.pointer).sort()).toEqual(['/email', '/first_name']);
  expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test('impersonates a patient by id or email, and replaces a revoked token', async () => {
  const email = 'acted-for@example.test';
  const { id } = await carelane.post('/patients', { body: { email } });
  for (const subject of [{ patientId: id }, { email }]) {
    const patient = createClient({ baseUrl, tokens: impersonation({ ...application, ...subject }) });
    expect((await patient.get('/patients/me')).id).toBe(id);
    expect(await failure(patient.get('/patients'))).toMatchObject({ code: 'forbidden', status: 403 });
  }
  const source = clientCredentials(application);
  const revoked = `${await source()}x`;
  let calls = 0;
  const tokens = async (rejectedToken?: string) => (rejectedToken === undefined && calls++ === 0 ? revoked : source());
  const other = createClient({ baseUrl, tokens });
  expect((await other.get('/patients/{id}', { path: { id } })).id).toBe(id);
});

test('reports the token endpoint’s error', async () => {
  const wrong = createClient({ baseUrl, tokens: clientCredentials({ ...application, clientSecret: 'cs_wrong' }) });
  expect(await failure(wrong.get('/patients'))).toMatchObject({ code: 'invalid_client', status: 401 });
  const elsewhere = createClient({
    baseUrl,
    tokens: clientCredentials({ ...application, tokenUrl: application.tokenUrl.replace('/identity', '') }),
  });
  expect((await failure(elsewhere.get('/patients'))).code).toMatch(/route_not_found|unexpected_answer/);
});

test('verifies a webhook and narrows its event type', async () => {
  const receiver = await startReceiver();
  clinic.services.events.start();
  clinic.services.webhooks.start(clinic.services);
  const body = { url: receiver.url, event_types: ['patient' as const], payload: 'snapshot' as const };
  const { secret, id } = await carelane.post('/webhook_endpoints', { body: { ...body, health_data_confirmed: true } });
  const { id: patientId } = await carelane.post('/patients', { body: { first_name: 'Told' } });
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const [{ raw, headers } = expect.fail()] = receiver.received;
  const event = verifyWebhook(raw, headers, secret);
  if (event.type !== 'patient.created' || event.test) return expect.fail(event.type);
  expect([event.object_id, event.payload?.first_name]).toEqual([patientId, 'Told']);
  expect(() => verifyWebhook(raw.replace('Told', 'Sold'), headers, secret)).toThrow();
  await carelane.delete('/webhook_endpoints/{id}', { path: { id } });
  await receiver.stop();
});
