import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type AcuityEmulatorOptions, createAcuityEmulator } from './index.ts';

export const USER_ID = '900100';
const API_KEY = 'emulated-key';

export interface TestResponse {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the wire's shape is what the tests assert
  body: any;
}

/**
 * Two calendars with working hours 9 to 17 on weekdays, slots every half hour, bookable from 1 hour to 60 days ahead.
 */
export const CLINIC = {
  apiKey: API_KEY,
  timezone: 'America/New_York',
  limits: { interval: 30, minHoursInAdvance: 1, maxDaysInAdvance: 60 },
  calendars: [
    { id: 11, name: 'Rowan Example', email: 'rowan.example@clinic.example.test' },
    { id: 12, name: 'Alder Example', timezone: 'America/Chicago' },
  ],
  types: [
    { id: 21, name: 'Follow-up visit', duration: 30, price: '60.00' },
    { id: 22, name: 'Long visit', duration: 60, paddingAfter: 15, calendarIDs: [11] },
  ],
  forms: [
    { id: 31, name: 'Location', hidden: true, appointmentTypeIDs: [21], fields: [{ id: 41, name: 'Location' }] },
    { id: 32, name: 'Intake', appointmentTypeIDs: [22], fields: [{ id: 42, name: 'Reason', required: true }] },
  ],
  hours: Object.fromEntries(
    ['11', '12'].map((id) => [
      id,
      Object.fromEntries(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, ['09:00-17:00']])),
    ]),
  ),
};

/** Starts an emulator for the current test with one account, its clock moved to `now`. */
export async function startAccount(account: object = {}, options: AcuityEmulatorOptions & { now?: string } = {}) {
  const running = await createAcuityEmulator({ rateLimit: false, log: () => {}, ...options }).start();
  onTestFinished(() => running.stop());
  const control = (method: string, path: string, body: unknown) =>
    send(`${running.url}/_emulator/${path}`, method, body, {});
  await control('PUT', `accounts/${USER_ID}`, { ...CLINIC, ...account });
  if (options.now) await control('POST', 'clock', { set: options.now });
  const authorization = `Basic ${btoa(`${USER_ID}:${API_KEY}`)}`;
  const call = (method: string, path: string, body?: unknown) =>
    send(`${running.url}/api/v1${path}`, method, body, { authorization });
  return { running, control, call, url: running.url };
}

async function send(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<TestResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** A Monday in winter, far enough in the future for a clock that only moves forward. */
export const MONDAY = '2036-01-14';

export const bookingInput = (over: object = {}) => ({
  datetime: `${MONDAY}T10:00:00-0500`,
  appointmentTypeID: 21,
  calendarID: 11,
  firstName: 'Ada',
  lastName: 'Example',
  email: 'ada@example.test',
  ...over,
});

interface ReceivedWebhook {
  signature: string | undefined;
  body: string;
  form: Record<string, string>;
}

/** Starts a webhook receiver that responds with these statuses in turn, then 200. */
export async function startReceiver(statuses: number[] = []) {
  const received: ReceivedWebhook[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const signature = request.headers['x-acuity-signature'] as string | undefined;
    received.push({ signature, body, form: Object.fromEntries(new URLSearchParams(body)) });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}
