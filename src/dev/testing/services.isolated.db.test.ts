import { randomBytes } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createInboxEmulator, type RunningInbox } from '#emulators/inbox/index.ts';
import { MINUTE } from '#server/core/clock.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import { keyedHash, sha256 } from '#server/core/crypto.ts';
import { setAllowedOrigins, tenantsOfOrigin } from '#server/identity/applications/origins/allowed-origins.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { authenticateClient } from '#server/identity/oauth/authenticate-client.ts';
import { recordClientUse } from '#server/identity/oauth/record-client-use.ts';
import { verifyPassword } from '#server/identity/staff/password.ts';
import { clientState } from '#server/identity/tokens/client-state.ts';
import { issueAccessToken } from '#server/identity/tokens/issue-access-token.ts';
import { currentKey } from '#server/identity/tokens/signing-keys.ts';
import { verifyAccessToken } from '#server/identity/tokens/verify-access-token.ts';
import { tenantToday } from '#server/patients/patient.ts';
import { sendMail } from '#server/providers/mail.ts';
import { makeTenant } from './actors.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { serveHandlers } from './http-server.ts';
import { testServices } from './services.ts';

const PAIR = { limit: 2, window: MINUTE } as const;
const UNKNOWN_CALLER = { ip: '198.18.0.1', userAgent: null, requestId: 'test' };
/** Stored data is encrypted with these keys. */
const KEYS = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')] as const;
const ORIGIN = 'https://app.example.test';

let databases: TestDatabase[];
let inbox: RunningInbox;
beforeAll(async () => {
  databases = [await createTestDatabase(), await createTestDatabase()];
  inbox = await createInboxEmulator().start();
});
afterAll(async () => {
  await inbox?.stop();
  for (const database of databases ?? []) await database.drop();
});

const createObserved = (which: 0 | 1, env: Record<string, string> = {}) =>
  testServices(databases[which]!, {
    PUBLIC_URL: `https://clinic${which}.example.test`,
    STRIPE_SECRET_KEY: `sk_test_of_${which}`,
    SMTP_URL: inbox.smtpUrl,
    ENCRYPTION_KEY: KEYS[which],
    ...env,
  });

/** Uses every kind of process-lifetime state, as requests and jobs do. */
async function use(services: Services) {
  const tenant = await makeTenant(services);
  const ctx = systemContext(services, tenant.id, 'test');
  const { application, client_secret: clientSecret } = await createApplication(ctx, { name: 'App', scopes: [] });
  const clientId = application.client_id;
  const { secretId } = await authenticateClient(services, { clientId, clientSecret }, UNKNOWN_CALLER);
  recordClientUse(services, { id: clientId, tenantId: tenant.id }, secretId);
  await setAllowedOrigins(ctx, { origins: [ORIGIN] });
  await tenantsOfOrigin(services, ORIGIN);
  const { token } = await issueAccessToken(services, { clientId, secretId, tenantId: tenant.id, scope: '' });
  expect(await verifyAccessToken(services, token)).toHaveProperty('claims');
  expect(await verifyPassword(services, null, 'a password')).toBe(false);
  await tenantToday(ctx);
  await services.identity.srp.power(7n);
  await sendMail(services, { to: 'ada@example.test', subject: 'S', text: 'T', stamp: { tenantId: tenant.id } });
  await services.providers
    .stripeClient(services)
    .getAccount('acct_1')
    .catch(() => null);
  services.rateLimiter.consume('used', [], PAIR);
  return { ctx, clientId, clientSecret, token };
}

/** Returns all objects reachable from `root`, except for functions and the internals of vendors' clients. */
function reachable(root: object): Set<object> {
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null || seen.has(one)) continue;
    seen.add(one);
    waiting.push(...Object.values(one));
    if (one instanceof Map) waiting.push(...one.keys(), ...one.values());
    if (one instanceof Set) waiting.push(...one.values());
  }
  return seen;
}

/** Without the log, which a test replaces, what holds no state, and the database, whose client shares Prisma's tables. */
const stateOf = ({ config: _config, clock: _clock, cipher: _cipher, log: _log, database: _db, ...state }: Services) =>
  reachable(state);

describe('two sets of services in one process', () => {
  let both: [Services, Services];
  let used: [Awaited<ReturnType<typeof use>>, Awaited<ReturnType<typeof use>>];
  beforeAll(async () => {
    both = [createObserved(0), createObserved(1)];
    used = [await use(both[0]), await use(both[1])];
  });
  afterAll(() => Promise.all((both ?? []).map((services) => services.close())));

  test('share no process-lifetime object', () => {
    const [mine, theirs] = both.map(stateOf) as [Set<object>, Set<object>];
    expect(mine.size).toBeGreaterThan(20);
    expect([...mine].filter((one) => theirs.has(one))).toEqual([]);
  });

  test('have separate provider clients and budgets', async () => {
    const [mine, theirs] = both.map(({ providers }) => providers) as [Services['providers'], Services['providers']];
    expect(mine.stripe()).toBe(mine.stripe());
    expect(mine.stripe()).not.toBe(theirs.stripe());
    expect(mine.mail()).not.toBe(theirs.mail());
    // The first query opens a database connection.
    await Promise.all(both.map(({ database }) => database.tenantsOf('none')));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = Array.from({ length: 10 }, () => mine.scheduling.run(() => released));
    // With a shared budget this would wait until the held calls are released.
    await theirs.scheduling.run(async () => {});
    release();
    await Promise.all(held);
  });

  test('have separate rate limits and queues', async () => {
    const [mine, theirs] = both as [Services, Services];
    expect([1, 2, 3].map(() => mine.rateLimiter.consume('alone', [], PAIR).allowed)).toEqual([true, true, false]);
    expect(theirs.rateLimiter.consume('alone', [], PAIR).allowed).toBe(true);
    let release = () => {};
    const held = mine.identity.registrations.newcomers.run(() => new Promise<void>((resolve) => (release = resolve)));
    expect(mine.identity.registrations.newcomers.isBusy()).toBe(true);
    expect(theirs.identity.registrations.newcomers.isBusy()).toBe(false);
    release();
    await held;
  });

  test('do not see each other’s clients, origins, keys and tokens', async () => {
    const [mine, theirs] = used;
    const otherServices = both[1];
    expect(await clientState(both[0], mine.ctx.tenantId, mine.clientId)).toMatchObject({ id: mine.clientId });
    expect(await clientState(otherServices, mine.ctx.tenantId, mine.clientId)).toBeNull();
    await expect(authenticateClient(otherServices, mine, UNKNOWN_CALLER)).rejects.toMatchObject({
      code: 'invalid_client',
    });
    expect(await tenantsOfOrigin(both[0], ORIGIN)).toEqual([mine.ctx.tenantId]);
    expect(await tenantsOfOrigin(otherServices, ORIGIN)).toEqual([theirs.ctx.tenantId]);
    expect((await currentKey(both[0])).kid).not.toBe((await currentKey(otherServices)).kid);
    expect(await verifyAccessToken(otherServices, mine.token)).toEqual({ error: 'invalid' });
    expect(keyedHash(both[0], 'test', 'a')).not.toEqual(keyedHash(otherServices, 'test', 'a'));
  });

  test('describe the API with their own URL', async () => {
    for (const services of both) {
      const server = await serveHandlers(services);
      const response = await fetch(`${server.url}/api/v1/openapi.json`);
      const { servers } = (await response.json()) as { servers: unknown };
      expect(servers).toEqual([{ url: services.config.baseUrl }]);
      await server.stop();
    }
  });
});

describe('closed services', () => {
  /** The resources that keep the process alive. */
  const active = () => process.getActiveResourcesInfo().sort();
  /** The resources that were added since; those of earlier tests may end in the meantime. */
  const added = (before: string[]): string[] => {
    const left = [...before];
    return active().filter((kind) => {
      const index = left.indexOf(kind);
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    });
  };
  const connections = async (database: TestDatabase, services: Services) => {
    const rows = await services.database.system.$queryRaw<{ count: bigint }[]>`
      select count(*) from pg_stat_activity where datname = ${new URL(database.url).pathname.slice(1)}`;
    return Number(rows[0]!.count);
  };

  test('leave no handle, timer, thread or connection', async () => {
    const observer = createObserved(1);
    onTestFinished(() => observer.close());
    await connections(databases[0]!, observer);
    const threads: Worker[] = [];
    const onWorker = (worker: Worker) => threads.push(worker);
    process.on('worker', onWorker);
    onTestFinished(() => void process.off('worker', onWorker));
    const before = active();

    const services = createObserved(0, { ACUITY_REQUESTS_PER_SECOND: '1' });
    await use(services);
    await services.providers.scheduling.run(async () => {});
    const waiting = services.providers.scheduling.run(async () => {});
    const rejection = expect(waiting).rejects.toMatchObject({ name: 'BudgetExhausted' });
    expect(threads.length).toBeGreaterThan(0);
    expect(await connections(databases[0]!, observer)).toBeGreaterThan(0);
    await services.close();
    await rejection;

    expect(threads.map(({ threadId }) => threadId)).toEqual(threads.map(() => -1));
    await expect.poll(() => connections(databases[0]!, observer), { timeout: 5_000 }).toBe(0);
    await expect.poll(() => added(before), { timeout: 5_000 }).toEqual([]);
    await expect(services.identity.srp.power(7n)).rejects.toThrow();
    services.rateLimiter.consume('late', [], PAIR);
    expect(added(before)).toEqual([]);
  });

  test('have finished queued work, written recorded uses and reported counts', async () => {
    const services = createObserved(0);
    const observer = createObserved(0);
    onTestFinished(() => observer.close());
    const { ctx, clientId } = await use(services);
    const { proofs, uses } = services.identity;
    uses.at.clear();
    recordClientUse(services, { id: clientId, tenantId: ctx.tenantId });
    const served: string[] = [];
    const inLine = Array.from({ length: 20 }, (_, n) =>
      proofs.run(async () => {
        await ctx.db.tenant.count();
        served.push(`${n}`);
      }),
    );
    services.rateLimiter.consume('told at the end', [], PAIR);
    const closed = services.close();
    expect(services.close()).toBe(closed);
    expect(proofs.isFull(true)).toBe(true);
    await closed;
    await Promise.all(inLine);
    expect(served).toHaveLength(20);
    const { db } = systemContext(observer, ctx.tenantId, 'test');
    expect(await db.application.findUnique({ where: { id: clientId } })).toMatchObject({
      lastUsedAt: expect.any(Date),
    });
    const counted = { where: { key: `told at the end:${sha256('')}` } };
    expect(await observer.database.system.rateLimitCount.findFirst(counted)).toMatchObject({ count: 1 });
  });
});
