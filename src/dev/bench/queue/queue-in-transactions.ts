import pg from 'pg';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import type { Figures, Job } from '../job.ts';
import { quantile } from '../quantile.ts';

const WRITERS = 32;
const MEASURE_MS = 2_000;
const RUN_AT = new Date(Date.now() + 365 * 86_400_000);

type Queueing = (client: pg.Client, tenantId: string) => Promise<unknown>;

/** Our own statement on a connection without Prisma, so that only the statements are compared. */
const ours: Queueing = (client, tenantId) => {
  const $executeRaw = async (parts: TemplateStringsArray, ...values: unknown[]) => {
    const text = parts.reduce((sum, part, index) => `${sum}$${index}${part}`);
    return (await client.query({ name: `ours${values.length}`, text, values })).rowCount ?? 0;
  };
  const tx = { $executeRaw } as unknown as Parameters<typeof enqueue>[0];
  return enqueue(tx, 'send_message', { tenantId, sealed: 'x'.repeat(400) }, { runAt: RUN_AT });
};
const theirs: Queueing = (client, tenantId) =>
  client.query({
    name: 'add_job',
    text: 'select graphile_worker.add_job($1, $2::json, run_at => $3::timestamptz)',
    values: ['send_message', JSON.stringify({ tenantId, sealed: 'x'.repeat(400) }), RUN_AT],
  });
const none: Queueing = (client) => client.query({ name: 'none', text: 'select 1' });

/** The cost of queueing a job in a transaction, with concurrent writers. */
export const queueInTransactions: Job = {
  id: 'queue',
  title: `a row and a job in one transaction, ${WRITERS} writers, two processes that listen`,
  async prepare({ databaseUrl }) {
    const open = async (count: number) => {
      const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: databaseUrl }));
      for (const client of clients) await client.connect();
      return clients;
    };
    const writers = await open(WRITERS);
    const listeners = await open(2);
    for (const listener of listeners) await listener.query('listen "jobs:insert"');
    const tenantId = newId();
    for (const writer of writers) await writer.query("select set_config('app.tenant_id', $1, false)", [tenantId]);

    async function measure(queueing: Queueing): Promise<Figures> {
      const durations: number[] = [];
      const until = performance.now() + MEASURE_MS;
      await Promise.all(
        writers.map(async (client) => {
          while (performance.now() < until) {
            const begunAt = performance.now();
            await client.query('begin');
            await client.query({
              name: 'row',
              text: `insert into inbound_events (tenant_id, provider, id, event_type, object_id) values ($1, 'stripe', $2, '', '')`,
              values: [tenantId, newId()],
            });
            await queueing(client, tenantId);
            await client.query('commit');
            durations.push(performance.now() - begunAt);
          }
        }),
      );
      await writers[0]!.query('delete from inbound_events');
      await writers[0]!.query('delete from graphile_worker._private_jobs');
      return {
        'per second': (durations.length / MEASURE_MS) * 1000,
        'p50 ms': quantile(durations, 0.5),
        'p99 ms': quantile(durations, 0.99),
      };
    }
    const side = (name: string, queueing: Queueing) => ({ name, measure: () => measure(queueing) });
    return {
      sides: [side('ours', ours), side('add_job, which notifies', theirs), side('no job at all', none)],
      goals: [
        {
          words: 'transactions with a job beside those without, at least 0.75',
          of: (medians) => medians.ours!['per second']! / medians['no job at all']!['per second']!,
          holds: (ratio) => ratio >= 0.75,
        },
        {
          words: 'ours beside add_job, at least 1.5',
          of: (medians) => medians.ours!['per second']! / medians['add_job, which notifies']!['per second']!,
          holds: (ratio) => ratio >= 1.5,
        },
      ],
      async stop() {
        for (const client of [...writers, ...listeners]) await client.end();
      },
    };
  },
};
