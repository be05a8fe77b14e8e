import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEndpoint } from '#server/webhooks/change-endpoint.ts';
import { receiveWebhooks } from '../../examples/receive-webhooks.ts';
import { receiveNaively } from '../../examples/receive-webhooks-naively.ts';
import { withClinic } from './clinic.ts';
import { type WebhookSetup, withWebhooks } from './webhook-setup.ts';

const OBJECTS = process.env.PROVE ? 8 : 3;
const EACH = process.env.PROVE ? 5 : 3;
const CHAOS = { duplicates: 1, delay_ms: 300, reorder: true, fail_first: 1 };
const open: Server[] = [];
let setup: WebhookSetup;
beforeAll(async () => {
  setup = await withWebhooks(await withClinic({ clock: true }));
});
afterAll(async () => {
  for (const server of open) server.close().closeAllConnections();
  await setup?.stop();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('with sandbox chaos the example receiver applies each event once and in order per object, and the naive one does not', {
  timeout: 120_000,
}, async () => {
  const { endpoint, recordEvent, admin } = await setup.tenant();
  const applied = new Map<string, number[]>();
  const naive = new Map<string, number[]>();
  const into = (book: Map<string, number[]>) => (event: { object_id: string; sequence: number }) =>
    void book.set(event.object_id, [...(book.get(event.object_id) ?? []), event.sequence]);
  // The endpoint's URL is needed before its secret exists.
  const httpReceiver = await setup.receiver();
  const created = await endpoint(httpReceiver.url, { chaos: CHAOS, event_types: ['patient'] });
  const receiver = receiveWebhooks(created.secret, new Set(), into(applied));
  httpReceiver.respond =
    ({ raw, headers }) =>
    (response) =>
      void fetch(address, { method: 'POST', body: raw, headers: headers as Record<string, string> }).then(
        ({ status }) => response.writeHead(status).end(),
        () => response.writeHead(502).end(),
      );
  const address = await listen(receiver);
  await createEndpoint(admin, { url: await listen(receiveNaively(into(naive))), event_types: ['*'], chaos: CHAOS });

  const truth = new Map<string, number[]>();
  for (let n = 0; n < OBJECTS * EACH; n += 1) {
    await recordEvent('patient.updated', `patient ${n % OBJECTS}`);
    into(truth)({ object_id: `patient ${n % OBJECTS}`, sequence: n + 1 });
  }
  const count = (book: Map<string, number[]>) => [...book.values()].flat().length;
  // Each first attempt fails, and the next is five seconds later.
  const hurry = setInterval(() => setup.pass(1_000, admin.tenantId), 200);
  await expect.poll(() => count(applied), { timeout: 90_000, interval: 100 }).toBe(OBJECTS * EACH);
  clearInterval(hurry);
  expect(new Map([...applied].sort())).toEqual(new Map([...truth].sort()));
  expect(httpReceiver.received.length).toBeGreaterThan(OBJECTS * EACH);
  expect(new Map([...naive].sort())).not.toEqual(new Map([...truth].sort()));
  // A forged request is rejected.
  const { raw, headers } = httpReceiver.received[0]!;
  const signed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-')) as [string, string][];
  const forged = await fetch(address, { method: 'POST', body: raw.replace('updated', 'created'), headers: signed });
  expect(forged.status).toBe(401);
});

test('chaos is available in a sandbox only', async () => {
  const { admin } = await setup.tenant();
  const config = { ...setup.services.config, environment: 'production' as const };
  const input = { url: 'https://hooks.example.com/', event_types: ['*'], chaos: { duplicates: 1 } };
  await expect(createEndpoint({ ...admin, config }, input)).rejects.toThrow('Only a sandbox');
});
