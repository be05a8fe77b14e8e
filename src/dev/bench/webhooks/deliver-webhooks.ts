import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import PgBoss from 'pg-boss';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { createEndpoint } from '#server/webhooks/change-endpoint.ts';
import { asAdmin } from '../../testing/actors.ts';
import type { BenchSetup } from '../bench-setup.ts';
import type { Figures, Job } from '../job.ts';

const ENDPOINTS = 8;
const AT_ONCE_AN_ENDPOINT = 4;
const EVENTS = 250;
const WRITERS = 8;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Writes one change and everything that leads to its webhooks, in one transaction. */
type Write = (n: number) => Promise<void>;

/** Starts a receiver that responds at once; `all` resolves after the given number of further webhooks. */
async function startReceiver() {
  let [got, wanted, full] = [0, Number.POSITIVE_INFINITY, () => {}];
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      response.writeHead(204).end();
      got += 1;
      if (got === wanted) full();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: Array.from({ length: ENDPOINTS }, (_, n) => `${origin}/${n}`),
    all(count: number): Promise<void> {
      [got, wanted] = [0, count];
      return new Promise((resolve) => {
        full = resolve;
      });
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The delivery of every contestant: a signed POST over keep-alive connections. */
function createPost() {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const webhook = new Webhook(SECRET);
  return {
    async send({ url, id, body }: { url: string; id: string; body: string }): Promise<void> {
      const now = new Date();
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, body),
      };
      const { statusCode, body: response } = await request(url, { method: 'POST', headers, body, dispatcher: agent });
      await response.dump();
      if (statusCode !== 204) throw new Error(`answered ${statusCode}`);
    },
    stop: () => agent.destroy(),
  };
}

/**
 * The time from the first commit until the last webhook arrives: changes of one tenant, each sent to every endpoint.
 */
export const deliverWebhooks: Job = {
  id: 'P9',
  title: `outbox to delivered: ${EVENTS} changes for ${ENDPOINTS} endpoints, ${AT_ONCE_AN_ENDPOINT} at once for each`,
  mostRepeats: 3,
  async prepare(setup: BenchSetup) {
    const { services, ownerUrl } = setup;
    const receiver = await startReceiver();
    const post = createPost();
    const pool = new pg.Pool({ connectionString: ownerUrl, max: 16 });
    await pool.query(`create table peer_changes (id uuid primary key, body jsonb not null);
      create table bare_outbox (id bigserial primary key, url text not null, event uuid not null, body text not null, done boolean not null default false);
      create index on bare_outbox (id) where not done`);

    async function measure(write: Write): Promise<Figures> {
      const arrived = receiver.all(EVENTS * ENDPOINTS);
      const startedAt = performance.now();
      let next = 0;
      await Promise.all(
        Array.from({ length: WRITERS }, async () => {
          while (next < EVENTS) {
            next += 1;
            await write(next);
          }
        }),
      );
      await arrived;
      return { 'per second': (EVENTS * ENDPOINTS * 1000) / (performance.now() - startedAt) };
    }
    const change = async (queue: (client: pg.PoolClient, id: string, body: string) => Promise<unknown>, n: number) => {
      const client = await pool.connect();
      const [id, body] = [newId(), JSON.stringify({ n, type: 'patient.updated', filler: 'x'.repeat(300) })];
      try {
        await client.query('begin');
        await client.query('insert into peer_changes values ($1, $2)', [id, body]);
        await queue(client, id, body);
        await client.query('commit');
      } finally {
        client.release();
      }
    };

    const { id: tenantId } = await createTenant(services, { name: 'Maple Clinic', timeZone: 'America/New_York' });
    const ctx = systemContext(services, tenantId, 'bench');
    const admin = asAdmin(services, { id: tenantId });
    for (const url of receiver.urls) await createEndpoint(admin, { url, event_types: ['*'] });
    services.events.start();
    services.webhooks.start(services);
    const ours: Write = (n) =>
      ctx.db.$transaction((tx) =>
        record(tx, ctx, {
          action: 'patients.update',
          object: { type: 'Patient', id: newId() },
          event: 'patient.updated',
          payload: { n, filler: 'x'.repeat(300) },
        }),
      );

    const jobs = (id: string, body: string) => receiver.urls.map((url) => ({ url, id, body }));
    const peers = new pg.Pool({ connectionString: ownerUrl, max: 16 });
    const runner = await run({
      pgPool: peers,
      concurrency: ENDPOINTS * AT_ONCE_AN_ENDPOINT,
      noHandleSignals: true,
      schema: 'peer_worker',
      logger: new Logger(() => () => {}),
      taskList: { deliver: (payload) => post.send(payload as Parameters<typeof post.send>[0]) },
    });
    const worker: Write = (n) =>
      change(
        (client, id, body) =>
          client.query(`select peer_worker.add_job('deliver', job) from json_array_elements($1::json) as job`, [
            JSON.stringify(jobs(id, body)),
          ]),
        n,
      );

    const boss = new PgBoss({ connectionString: ownerUrl, schema: 'peer_boss', max: 16 });
    boss.on('error', (error) => console.error(error));
    await boss.start();
    await boss.createQueue('deliver');
    // pg-boss polls at most twice a second: with large batches the polling interval is not what is measured.
    for (let n = 0; n < AT_ONCE_AN_ENDPOINT; n += 1)
      await boss.work('deliver', { batchSize: 500, pollingIntervalSeconds: 0.5 }, async (batch) => {
        await Promise.all(batch.map(({ data }) => post.send(data as Parameters<typeof post.send>[0])));
      });
    const pgBoss: Write = (n) =>
      change(async (client, id, body) => {
        const db = { executeSql: (text: string, values: unknown[]) => client.query(text, values) };
        await boss.insert(
          jobs(id, body).map((data) => ({ name: 'deliver', data })),
          { db },
        );
      }, n);

    /** Polls only while it is measured, so that it does not slow the others down. */
    async function claiming(write: () => Promise<Figures>): Promise<Figures> {
      let isOver = false;
      const claimers = Array.from({ length: AT_ONCE_AN_ENDPOINT }, async () => {
        const client = new pg.Client({ connectionString: ownerUrl });
        await client.connect();
        while (!isOver) {
          await client.query('begin');
          const { rows } = await client.query(
            `select id, url, event, body from bare_outbox where not done order by id limit ${ENDPOINTS} for update skip locked`,
          );
          await Promise.all(rows.map(({ url, event, body }) => post.send({ url, id: event, body })));
          await client.query('update bare_outbox set done = true where id = any($1)', [rows.map(({ id }) => id)]);
          await client.query('commit');
          if (rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        }
        await client.end();
      });
      const figures = await write();
      isOver = true;
      await Promise.all(claimers);
      return figures;
    }
    const skipLocked: Write = (n) =>
      change(
        (client, id, body) =>
          client.query('insert into bare_outbox (url, event, body) select url, $2, $3 from unnest($1::text[]) url', [
            receiver.urls,
            id,
            body,
          ]),
        n,
      );

    const side = (name: string, write: Write) => ({ name, measure: () => measure(write) });
    return {
      sides: [
        side('ours', ours),
        side('graphile-worker', worker),
        side('pg-boss', pgBoss),
        { name: 'bare SKIP LOCKED', measure: () => claiming(() => measure(skipLocked)) },
      ],
      goals: [
        {
          words: 'ours beside the better peer, at least 1.5',
          of: (medians) =>
            medians.ours!['per second']! /
            Math.max(medians['graphile-worker']!['per second']!, medians['pg-boss']!['per second']!),
          holds: (ratio) => ratio >= 1.5,
        },
      ],
      async stop() {
        await runner.stop();
        await peers.end();
        await boss.stop({ graceful: false });
        await pool.end();
        await post.stop();
        await receiver.stop();
      },
    };
  },
};
