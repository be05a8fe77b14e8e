import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeService, startFakeService, startReceiver } from './testing/fake-service.ts';
import { runCommand } from './testing/run-command.ts';

let service: FakeService;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let folder: string;
const running: ReturnType<typeof runCommand>[] = [];
beforeEach(async () => {
  [service, receiver] = await Promise.all([startFakeService(), startReceiver()]);
  folder = await mkdtemp(join(tmpdir(), 'carelane-cli-'));
});
afterEach(async () => {
  for (const command of running.splice(0)) await command.stop();
  await Promise.all([service.stop(), receiver.stop(), rm(folder, { recursive: true })]);
});

function listen(args: string[] = [], to = receiver.url) {
  const command = runCommand(['listen', '--forward-to', `${to}/hooks`, ...args], service.env);
  running.push(command);
  return command;
}
const isFollowing = () => expect.poll(service.isWaiting).toBe(true);
const secretIn = (text: string) => /whsec_\S+/.exec(text)![0];

describe('carelane listen', () => {
  test('posts new events in order and signed like webhooks', async () => {
    service.addEvents(3);
    const command = listen();
    await isFollowing();
    service.addEvents(5, { patient_id: 'ada' });
    await expect.poll(() => receiver.received.length).toBe(5);
    expect(receiver.sequences()).toEqual([4, 5, 6, 7, 8]);
    const { headers, body, path, method } = receiver.received[0]!;
    expect([method, path]).toEqual(['POST', '/hooks']);
    expect(headers).toMatchObject({ 'webhook-id': '0199-4', 'content-type': 'application/json; charset=utf-8' });
    const webhook = new Webhook(secretIn(command.err()));
    expect(webhook.verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'appointment.scheduled',
      sequence: 4,
      cursor: 4,
      missed_sequence: null,
      replayed: false,
      object_id: 'visit-4',
    });
    expect(JSON.parse(body)).not.toHaveProperty('payload');
    expect(() => webhook.verify(`${body} `, headers as Record<string, string>)).toThrow();
    // The last post is done when its response has arrived, a moment after the receiver has it.
    await expect.poll(() => command.lines().length).toBe(5);
    expect(await command.stop()).toBe(0);
    expect(command.err()).toContain('To continue: --after 8');
  });

  test('starts after a sequence, filters by name, and sends the resource on request', async () => {
    service.addEvents(2);
    service.addEvents(1, { event_topic: 'canceled' });
    service.addEvents(1, { event_type: 'patient', event_topic: 'created' });
    listen(['--after', '1', '--type', 'appointment.scheduled,patient', '--payload', 'snapshot']);
    await expect.poll(() => receiver.received.length).toBe(2);
    expect(receiver.sequences()).toEqual([2, 4]);
    expect(JSON.parse(receiver.received[0]!.body).payload).toEqual({ id: 'visit-2', status: 'scheduled' });
    expect(service.requests.at(-1)!.query.get('event_type')).toBe('appointment,patient');
  });

  test('retries a failed delivery before later events', async () => {
    const failing = await startReceiver([{ status: 500 }, 'cut', { status: 302, headers: { location: '/else' } }]);
    const command = listen(['--after', '0', '--json'], failing.url);
    await isFollowing();
    service.addEvents(2);
    await expect.poll(() => failing.received.length).toBe(5);
    expect(failing.sequences()).toEqual([1, 1, 1, 1, 2]);
    const [first] = command.lines().map((line) => JSON.parse(line));
    expect(first).toMatchObject({ sequence: 1, status: 204, attempts: 4, error: null });
    expect(command.err()).toMatch(/1 Appointment Scheduled was not accepted by .*: status 500\. Retrying/);
    expect(command.err()).toContain('the connection was lost');
    expect(command.err()).toContain('redirects are not followed');
    await command.stop();
    await failing.stop();
  });

  test('skips an event after the last attempt, and reports it in missed_sequence', async () => {
    const broken = await startReceiver(Array.from({ length: 4 }, () => ({ status: 503 })));
    const command = listen(['--after', '0'], broken.url);
    await isFollowing();
    service.addEvents(1, { payload: { id: 'one' } });
    service.addEvents(1, { payload: { id: 'other' } });
    service.addEvents(1, { payload: { id: 'one' } });
    await expect.poll(() => broken.received.length).toBe(6);
    const forwarded = broken.received.slice(4).map(({ body }) => JSON.parse(body));
    expect(forwarded).toMatchObject([
      { sequence: 2, missed_sequence: null, cursor: 0 },
      { sequence: 3, missed_sequence: 1, cursor: 0 },
    ]);
    expect(command.err()).toContain('Skipped');
    expect(await command.stop()).toBe(0);
    expect(command.err()).toContain('1 skipped. To get them again: --after 0');
    await broken.stop();
  });

  test('ends when the receiver responds with 410', async () => {
    const gone = await startReceiver([{ status: 410 }]);
    service.addEvents(1);
    const command = listen(['--after', '0'], gone.url);
    expect(await command.exit).toBe(1);
    expect(command.err()).toContain('accepts no more events');
    await gone.stop();
  });

  test('stores its secret in a file that only its owner can read, and reuses it', async () => {
    const file = join(folder, 'secret');
    const first = listen(['--secret-file', file]);
    await isFollowing();
    await first.stop();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const secret = (await readFile(file, 'utf8')).trim();
    service.wake();
    const second = listen(['--after', '0', '--secret-file', file]);
    service.addEvents(1);
    await expect.poll(() => receiver.received.length).toBe(1);
    const { headers, body } = receiver.received[0]!;
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
    await second.stop();
    expect(second.err()).not.toContain(secret);
    await writeFile(file, 'not a secret');
    expect(await listen(['--secret-file', file]).exit).toBe(2);
  });

  test('continues after a lost connection and after a restart of the service, and says so', async () => {
    const command = listen();
    await isFollowing();
    service.next.events.push('cut', { status: 503, headers: { 'retry-after': '1' } });
    service.wake();
    await expect.poll(command.err, { timeout: 5_000 }).toContain('the connection was lost. Retrying in 1 s');
    await expect.poll(command.err, { timeout: 5_000 }).toContain('The service is busy or restarting. Retrying in 1 s');
    await isFollowing();
    expect(command.err()).not.toContain('available again');
    service.addEvents(1);
    await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(1);
    expect(command.err()).toContain('The service is available again.');
  });

  test('gets a new token before the old one expires, and another one when it is revoked', async () => {
    await service.stop();
    service = await startFakeService({ tokenLifeS: 1 });
    const command = listen();
    await isFollowing();
    service.addEvents(1);
    await expect.poll(() => receiver.received.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 600));
    service.addEvents(1);
    await expect.poll(() => receiver.received.length).toBe(2);
    await expect.poll(() => service.requests.filter(({ path }) => path.endsWith('token')).length).toBe(2);
    await isFollowing();
    service.next.events.push({ status: 401, body: { errors: [{ code: 'invalid_token', detail: 'Revoked.' }] } });
    service.addEvents(1);
    await expect.poll(() => receiver.received.length).toBe(3);
    await command.stop();
  });
});
