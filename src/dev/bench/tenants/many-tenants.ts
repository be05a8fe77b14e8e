import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '#generated/prisma/client.ts';
import { newId } from '#server/core/ids.ts';
import { withClient } from '../../../launcher/postgres/with-client.mjs';
import type { Figures, Goal, Job } from '../job.ts';
import { inParallel } from '../sign-in/in-parallel.ts';

const TENANTS = 1000;
const READS = 2000;
/** More concurrent reads than connections. */
const CONCURRENCY = 32;
const PATIENTS_EACH = 3;

type Read = (tenantId: string) => Promise<unknown>;

const ONE = 'one tenant';
const ZIPF = 'Zipf, s = 1';
const EVEN = 'each of 1,000';
const OURS = (who: string) => `ours, ${who}`;
const LIMIT = 'limit: plain Prisma, one tenant';
const PEER = 'peer: $transaction, each of 1,000';

/** The ratio of the durations of two sides. */
const longer = (side: string, other: string, most: number): Goal => ({
  words: `time of ${side} : ${other}, at most ${most}`,
  of: (medians) => medians[other]!['per second']! / medians[side]!['per second']!,
  holds: (ratio) => ratio <= most,
});

/** The cost of serving many tenants, which PostgreSQL isolates, with one client. */
export const manyTenants: Job = {
  id: 'P12',
  // 2,000 reads of each kind are a large sample.
  mostRepeats: 3,
  title: `${READS} interleaved reads of ${TENANTS} tenants by one client`,
  async prepare({ services, databaseUrl, ownerUrl }) {
    const tenants = Array.from({ length: TENANTS }, () => newId());
    await withClient(ownerUrl, (client) => fill(client, tenants));
    const { poolSize } = services.config.database;
    // The owner bypasses row-level security, so only the query's condition separates tenants.
    const plain = openPlain(ownerUrl, poolSize);
    const wrapped = openPlain(databaseUrl, poolSize);
    const ours: Read = (tenantId) => services.database.forTenant(tenantId).patient.findMany({ where: { tenantId } });
    const unscoped: Read = (tenantId) => plain.patient.findMany({ where: { tenantId } });
    const inTransactions: Read = (tenantId) =>
      wrapped.$transaction(async (tx) => {
        await tx.$executeRaw`select set_config('app.tenant_id', ${tenantId}, true)`;
        return tx.patient.findMany({ where: { tenantId } });
      });
    const order = {
      [ONE]: Array.from({ length: READS }, () => tenants[0]!),
      [ZIPF]: drawByZipf(tenants),
      [EVEN]: Array.from({ length: READS }, (_, n) => tenants[n % TENANTS]!),
    };
    const side = (name: string, read: Read, who: keyof typeof order) => ({
      name,
      measure: () => measure(read, order[who]),
    });
    return {
      sides: [
        ...([ONE, ZIPF, EVEN] as const).map((who) => side(OURS(who), ours, who)),
        side(LIMIT, unscoped, ONE),
        side(PEER, inTransactions, EVEN),
      ],
      goals: [
        longer(OURS(EVEN), OURS(ONE), 2),
        longer(OURS(ZIPF), OURS(ONE), 1.6),
        longer(OURS(ONE), LIMIT, 1.05),
        longer(OURS(EVEN), PEER, 0.5),
      ],
      async stop() {
        await plain.$disconnect();
        await wrapped.$disconnect();
      },
    };
  },
};

const openPlain = (connectionString: string, max: number) =>
  new PrismaClient({
    adapter: new PrismaPg(new pg.Pool({ connectionString, max }), { disposeExternalPool: true }),
    transactionOptions: { maxWait: 15_000, timeout: 20_000 },
  });

async function measure(read: Read, order: string[]): Promise<Figures> {
  const startedAt = performance.now();
  const results = await inParallel(order, CONCURRENCY, read);
  const seconds = (performance.now() - startedAt) / 1000;
  if (results.some((rows) => (rows as unknown[]).length !== PATIENTS_EACH)) throw new Error('a read lost rows');
  return { 'per second': order.length / seconds };
}

async function fill(client: pg.Client, tenants: string[]): Promise<void> {
  await client.query(
    `insert into tenants (id, name, time_zone) select unnest($1::uuid[]), 'Clinic', 'America/New_York'`,
    [tenants],
  );
  const owners = tenants.flatMap((id) => Array.from({ length: PATIENTS_EACH }, () => id));
  await client.query(
    `insert into patients (id, tenant_id, first_name, updated_at)
     select id, tenant, 'Maple', now() from unnest($1::uuid[], $2::uuid[]) as given (id, tenant)`,
    [owners.map(() => newId()), owners],
  );
  await client.query('analyze patients');
}

/** Draws tenants with Zipf's distribution: the n-th is n times as rare as the first. Every run draws the same. */
function drawByZipf(tenants: string[]): string[] {
  let total = 0;
  const upTo = tenants.map((_, index) => {
    total += 1 / (index + 1);
    return total;
  });
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647; // Park and Miller's generator
    return state / 2_147_483_647;
  };
  return Array.from({ length: READS }, () => {
    const drawn = random() * total;
    return tenants[upTo.findIndex((sum) => drawn <= sum)]!;
  });
}
