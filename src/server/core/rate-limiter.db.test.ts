import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { HOUR, MINUTE } from './clock.ts';
import type { Services } from './context.ts';
import { sha256 } from './crypto.ts';
import type { CarelaneError } from './errors.ts';
import { assertRateLimit, createRateLimiter } from './rate-limiter.ts';

const upTo = (limit: number) => ({ limit, window: MINUTE });

describe('createRateLimiter', () => {
  let clinic: Clinic;
  let services: Services;
  // The middle of a minute, so that no window ends within a test.
  const clock = { now: () => new Date('2026-03-02T10:00:30Z') };
  beforeAll(async () => {
    clinic = await withClinic({ overrides: { clock } });
    ({ services } = clinic);
  });
  afterAll(() => clinic?.stop());

  it('allows requests up to the limit, then rejects them with the seconds to wait', () => {
    const limiter = createRateLimiter(services);
    const states = Array.from({ length: 7 }, () => limiter.consume('alone', [], upTo(5)));
    expect(states.map((state) => state.allowed)).toEqual([true, true, true, true, true, false, false]);
    expect(states.map((state) => state.remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
    expect(states[6]!.resetSeconds).toBe(30);
  });

  it('shares the counts between processes within a second', async () => {
    const [a, b] = [createRateLimiter(services), createRateLimiter(services)];
    for (let i = 0; i < 10; i += 1) a.consume('shared', [], upTo(20));
    for (let i = 0; i < 5; i += 1) b.consume('shared', [], upTo(20));
    await sleep(1200);
    b.consume('shared', [], upTo(20));
    await sleep(800);
    const states = Array.from({ length: 10 }, () => b.consume('shared', [], upTo(20)).allowed);
    expect(states.filter(Boolean)).toHaveLength(4);
    await Promise.all([a.close(), b.close()]);
  });

  it('writes nothing for a key far below its limit', async () => {
    const limiter = createRateLimiter(services);
    for (let i = 0; i < 9; i += 1) limiter.consume('rare', [], upTo(40));
    await limiter.close();
    expect(await services.database.system.rateLimitCount.count({ where: { key: `rare:${sha256('')}` } })).toBe(0);
    limiter.consume('rare', [], upTo(40));
    await limiter.close();
    expect(
      await services.database.system.rateLimitCount.findFirst({ where: { key: `rare:${sha256('')}` } }),
    ).toMatchObject({
      count: 10,
    });
  });

  it('loses no count while the database is down', async () => {
    const { system } = services.database;
    let isDown = true;
    const failing = new Proxy(system, {
      get: (of, name) =>
        name === '$queryRaw' && isDown
          ? () => Promise.reject(new Error('the database is down'))
          : of[name as keyof typeof of],
    });
    const limiter = createRateLimiter({ ...services, database: { ...services.database, system: failing } });
    for (let i = 0; i < 6; i += 1) limiter.consume('while down', [], upTo(6));
    await limiter.close();
    isDown = false;
    await limiter.close();
    expect(await system.rateLimitCount.findFirst({ where: { key: `while down:${sha256('')}` } })).toMatchObject({
      count: 6,
    });
    expect(limiter.consume('while down', [], upTo(6)).allowed).toBe(false);
  });

  it('uncounts a request in its own window only, in all processes', async () => {
    let now = new Date('2026-03-02T10:00:59Z');
    const moving = { ...services, clock: { now: () => now } };
    const [a, b] = [createRateLimiter(moving), createRateLimiter(moving)];
    const late = a.consume('late', [], upTo(2));
    now = new Date('2026-03-02T10:01:00Z');
    for (let n = 0; n < 2; n += 1) a.consume('late', [], upTo(2));
    late.uncount();
    expect(a.consume('late', [], upTo(2)).allowed).toBe(false);
    const right = [b.consume('right', [], upTo(2)), b.consume('right', [], upTo(2))];
    await b.close();
    for (const one of right) {
      one.uncount();
      one.uncount(); // has no effect
    }
    await b.close();
    a.consume('right', [], upTo(2));
    await a.close();
    expect(a.consume('right', [], upTo(2)).allowed).toBe(true);
  });

  it('learns of what other processes uncounted, when it has rejected a request', async () => {
    const [a, b] = [createRateLimiter(services), createRateLimiter(services)];
    const right = [a.consume('uncounted', [], upTo(2)), a.consume('uncounted', [], upTo(2))];
    await a.close();
    b.consume('uncounted', [], upTo(2));
    await b.close();
    for (const one of right) one.uncount();
    await a.close();
    expect(b.consume('uncounted', [], upTo(2)).allowed).toBe(false);
    await b.close();
    expect(b.consume('uncounted', [], upTo(2)).allowed).toBe(true);
  });

  it('remembers its own counts when the database has lost them', async () => {
    const limiter = createRateLimiter(services);
    for (let n = 0; n < 4; n += 1) limiter.consume('lost', [], upTo(5));
    await limiter.close();
    await services.database.system.rateLimitCount.deleteMany();
    limiter.consume('lost', [], upTo(5));
    await limiter.close();
    expect(limiter.consume('lost', [], upTo(5)).allowed).toBe(false);
  });

  it('shares a limit per hour from the first request on', async () => {
    const perHour = { limit: 100, window: HOUR } as const;
    const processes = Array.from({ length: 8 }, () => createRateLimiter(services));
    for (const limiter of processes) for (let n = 0; n < 13; n += 1) limiter.consume('hourly', [], perHour);
    for (const limiter of processes) await limiter.close();
    for (const limiter of processes) limiter.consume('hourly', [], perHour);
    for (const limiter of processes) await limiter.close();
    expect(processes.map((limiter) => limiter.consume('hourly', [], perHour).allowed)).toEqual(Array(8).fill(false));
  });
});

describe('assertRateLimit', () => {
  const config = { requestsPerMinute: 1 };
  const clock = { now: () => new Date('2026-03-02T10:00:30Z') };
  const database = { system: { $queryRaw: async () => [] } };
  const limited = () => ({ config, rateLimiter: createRateLimiter({ clock, database } as unknown as Services) });
  const outcomeOf = (attempt: () => void) => {
    try {
      return attempt() ?? 'allowed';
    } catch (error) {
      return (error as CarelaneError).faults[0]!.detail;
    }
  };
  const ofLink = (link: string) => ({ name: 'wrong_promotion_codes_of_link', key: [link] }) as const;
  const ofSource = { name: 'wrong_promotion_codes_from_source', key: ['192.0.2.1'] } as const;

  it('counts under each limit or under none, and says how long to wait', () => {
    const services = limited();
    for (let n = 0; n < 10; n += 1) assertRateLimit(services, ofSource, ofLink('a'));
    for (let n = 0; n < 5; n += 1)
      expect(outcomeOf(() => assertRateLimit(services, ofSource, ofLink('a')))).toBe(
        'Too many tries; wait 30 seconds and try again.',
      );
    for (let n = 0; n < 10; n += 1) assertRateLimit(services, ofSource, ofLink('b'));
    expect(outcomeOf(() => assertRateLimit(services, ofSource, ofLink('c')))).toMatch(/^Too many/);
  });

  it('limits a use to its share', () => {
    const services = limited();
    const staff = { name: 'staff_resets', key: ['192.0.2.1'] } as const;
    for (let n = 0; n < 10; n += 1) assertRateLimit(services, { ...staff, share: 0.5 });
    expect(outcomeOf(() => assertRateLimit(services, { ...staff, share: 0.5 }))).toMatch(/^Too many/);
    for (let n = 0; n < 10; n += 1) assertRateLimit(services, staff);
    expect(outcomeOf(() => assertRateLimit(services, staff))).toMatch(/^Too many/);
  });
});
