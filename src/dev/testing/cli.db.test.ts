import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONTRACT_VERSION } from '../../cli/main.ts';
import { startReceiver } from '../../cli/testing/fake-service.ts';
import { runCommand } from '../../cli/testing/run-command.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';

let clinic: Sandbox;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
});
afterAll(() => clinic?.stop());

const envOf = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => ({
  CARELANE_URL: clinic.url,
  CARELANE_CLIENT_ID: clientId,
  CARELANE_CLIENT_SECRET: clientSecret,
});

test('forwards events to a receiver once each and in order, and lists them', async () => {
  const credentials = await clinic.application(clinic.ctx);
  const token = await clinic.token(credentials);
  const env = envOf(credentials);
  const add = (n: number) =>
    clinic.rest.call({ method: 'POST', path: '/patients', token, body: { first_name: `Ada ${n}` } });
  await add(0);
  const receiver = await startReceiver([{ status: 500 }]);
  const forwarding = ['listen', '--forward-to', receiver.url, '--payload', 'snapshot', '--type', 'patient', '--json'];
  const command = runCommand(forwarding, env);
  await expect.poll(command.err, { timeout: 20_000 }).toContain('whsec_');
  for (let n = 1; n <= 5; n += 1) await add(n);
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(6);
  const secret = /whsec_\S+/.exec(command.err())![0];
  const received = receiver.received.map(({ body, headers }) =>
    new Webhook(secret).verify(body, headers as Record<string, string>),
  ) as { payload: { first_name: string; id: string }; object_id: string; contract_version: string }[];
  // The receiver rejected the first attempt.
  expect(received.map(({ payload }) => payload.first_name)).toEqual([
    'Ada 1',
    'Ada 1',
    'Ada 2',
    'Ada 3',
    'Ada 4',
    'Ada 5',
  ]);
  expect(received[0]).toMatchObject({ object_id: received[0]!.payload.id, type: 'patient.created' });
  expect(await command.stop()).toBe(0);

  const list = runCommand(['events', '--type', 'patient.created', '--json'], env);
  expect(await list.exit).toBe(0);
  const names = list.lines().map((line) => JSON.parse(line).payload.first_name);
  expect(names).toEqual([0, 1, 2, 3, 4, 5].map((n) => `Ada ${n}`));
  await receiver.stop();
});

test('finds the current sequence without reading patient data', async () => {
  const credentials = await clinic.application(clinic.ctx, ['events:read', 'patients:read']);
  const env = envOf(credentials);
  const reads = async () =>
    (await clinic.ctx.db.auditEntry.findMany({ where: { actorId: credentials.clientId } }))
      .filter(({ action }) => action === 'events.list')
      .map(({ patientId, patientIds }) => (patientId ? 1 : patientIds.length));
  const receiver = await startReceiver();
  const command = runCommand(['listen', '--forward-to', receiver.url, '--type', 'patient'], env);
  await expect.poll(command.err, { timeout: 20_000 }).toContain('Ctrl-C to end');
  expect(await command.stop()).toBe(0);
  expect(await reads()).toEqual([]);
  // Listing events is logged with the patients that it showed.
  expect(await runCommand(['events', '--type', 'patient', '--limit', '1'], env).exit).toBe(0);
  expect(await reads()).toEqual([1]);
  await receiver.stop();
});

test('prints the service’s message for a missing scope and for a sequence in the future', async () => {
  const few = envOf(await clinic.application(clinic.ctx, ['events:read']));
  const forbidden = runCommand(['events'], few);
  expect(await forbidden.exit).toBe(3);
  expect(forbidden.err()).toContain('"patients:read"');
  const all = envOf(await clinic.application(clinic.ctx));
  const beyond = runCommand(['events', '--after', '999999'], all);
  expect(await beyond.exit).toBe(2);
  expect(beyond.err()).toContain('There is no such sequence yet');
});

test('has the contract version that the service reports', async () => {
  const { info } = (await (await fetch(`${clinic.url}/api/v1/openapi.json`)).json()) as { info: { version: string } };
  expect(CONTRACT_VERSION).toBe(info.version);
});
