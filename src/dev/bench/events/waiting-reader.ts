import { setTimeout as pause } from 'node:timers/promises';
import { systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { requestToken } from '../../testing/rest-client.ts';
import type { Figures, Job } from '../job.ts';
import { quantile } from '../quantile.ts';

const RATE = 200;
const MEASURE_MS = 4_000;
const SIDES = [
  { name: 'one writer process', filter: '' },
  { name: 'the same, with a filter', filter: '&event_type=patient&event_topic=updated' },
];

/** Latency from commit to a long-polling reader at another process, with many events a second. */
export const waitingReader: Job = {
  id: 'P13',
  title: `commit to a reader who waits, at ${RATE} events a second, over HTTP from another process`,
  mostRepeats: 3,
  async prepare({ services, url }) {
    const { id: tenantId } = await createTenant(services, { name: 'Maple Clinic', timeZone: 'America/New_York' });
    const ctx = systemContext(services, tenantId, 'bench');
    const { application, client_secret } = await createApplication(ctx, { name: 'Server', scopes: ['admin'] });
    const token = await requestToken(url, { clientId: application.client_id, clientSecret: client_secret });
    const read = async (after: string, wait: number, filter: string) => {
      const query = `after_sequence=${after}&size=200&wait=${wait}${filter}`;
      const page = await fetch(`${url}/api/v1/events?${query}`, { headers: { authorization: `Bearer ${token}` } });
      if (page.status !== 200) throw new Error(`events answered ${page.status}: ${await page.text()}`);
      const events = (await page.json()) as { payload: { n: number } }[];
      return {
        events,
        after: page.headers.get('read-through-sequence')!,
        newest: page.headers.get('newest-sequence')!,
      };
    };
    let last = 0;

    async function measure(filter: string): Promise<Figures> {
      const committedAt = new Map<number, number>();
      const receivedAt = new Map<number, number>();
      let { newest: after } = await read('0', 0, '');
      const wanted = Math.floor((RATE * MEASURE_MS) / 1000);
      const first = last + 1;
      const reading = (async () => {
        while (receivedAt.size < wanted) {
          const next = await read(after, 10, filter);
          after = next.after;
          for (const { payload } of next.events) receivedAt.set(payload.n, performance.now());
        }
      })();
      const writes: Promise<void>[] = [];
      const startedAt = performance.now();
      for (let n = 0; n < wanted; n += 1) {
        await pause(Math.max(0, startedAt + (n * 1000) / RATE - performance.now()));
        last += 1;
        const number = last;
        const id = newId();
        writes.push(
          ctx.db
            .$transaction((tx) =>
              record(tx, ctx, {
                action: 'patients.update',
                object: { type: 'Patient', id },
                event: 'patient.updated',
                payload: { n: number },
              }),
            )
            .then(() => void committedAt.set(number, performance.now())),
        );
      }
      await Promise.all(writes);
      const writeSeconds = (performance.now() - startedAt) / 1000;
      await reading;
      // Both timestamps are of this process; an event that arrived before its own commit returned counts as 0.
      const latencies = Array.from({ length: wanted }, (_, index) =>
        Math.max(0, receivedAt.get(first + index)! - committedAt.get(first + index)!),
      );
      return {
        'per second': wanted / writeSeconds,
        'p50 ms': quantile(latencies, 0.5),
        'p99 ms': quantile(latencies, 0.99),
      };
    }
    return {
      sides: SIDES.map(({ name, filter }) => ({ name, measure: () => measure(filter) })),
      goals: SIDES.map(({ name }) => ({
        words: `p99 in ms, ${name}, at most 100`,
        of: (medians: Record<string, Figures>) => medians[name]!['p99 ms']!,
        holds: (value: number) => value <= 100,
      })),
      stop: async () => {},
    };
  },
};
