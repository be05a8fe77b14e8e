import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asPractitioner, makeTenant } from '#testing/actors.ts';
import { createTestDatabase, type TestDatabase } from '#testing/database.ts';
import { testServices } from '#testing/services.ts';
import { HOUR } from '../../core/clock.ts';
import type { Context, Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { sourceOf } from '../sessions/network-of.ts';
import { countSend } from './count-send.ts';
import { countSpend } from './count-spend.ts';
import { personKey } from './person-key.ts';

let database: TestDatabase;
let services: Services;
let ctx: Context;
let now = new Date();

beforeAll(async () => {
  database = await createTestDatabase();
  services = testServices(database, {}, { clock: { now: () => now } });
});
afterAll(async () => {
  await services?.database.close();
  await database?.drop();
});
beforeEach(async () => {
  ctx = asPractitioner(services, await makeTenant(services));
});

const send = (address: string, ip: string) =>
  countSend(ctx.db, ctx, address, ip).then(
    () => 'sent',
    (error) => error.code,
  );
/** So many sends a moment ago, each to somebody else. */
async function sentBefore(rows: number, { ip = '', prefix = '' }) {
  const data = Array.from({ length: rows }, () => ({
    id: newId(),
    tenantId: ctx.tenantId,
    person: newId(),
    prefix: prefix ? personKey(ctx, prefix) : newId(),
    source: ip ? personKey(ctx, sourceOf(ip)) : newId(),
    sentAt: now,
  }));
  await ctx.db.codeSend.createMany({ data });
}

describe('asking for codes is limited', () => {
  test.each([
    ['from one address', 100, { ip: '192.0.2.1' }],
    ['from one /64', 100, { ip: '2001:db8:0:1::1' }],
    ['to one exchange of an area', 300, { prefix: '+1202555' }],
    ['to one mail domain', 300, { prefix: 'example.test' }],
    ['of one clinic', 3000, {}],
  ])('to so many an hour %s', async (_, limit, where: { ip?: string; prefix?: string }) => {
    await sentBefore(limit - 1, where);
    const ip = where.ip?.replace(/::1$/, '::9:9') ?? '198.51.100.1';
    const address = (n: number) => (where.prefix?.startsWith('+') ? `+1202555010${n}` : `ada${n}@example.test`);
    expect(await send(address(1), ip)).toBe('sent');
    expect(await send(address(2), ip)).toBe('rate_limited');
    now = new Date(now.getTime() + HOUR + 1);
    expect(await send(address(2), ip)).toBe('sent');
  });

  test('by nothing that another clinic sends, as long as the service as a whole sends little', async () => {
    await sentBefore(3000, {});
    ctx = asPractitioner(services, await makeTenant(services));
    expect(await send('ada@example.test', '192.0.2.1')).toBe('sent');
  });
});

describe('of all clinics together', () => {
  /** One after another from a new clinic each, so that no clinic's own limit is near. */
  async function sendFromMany(times: number, address: (n: number) => string, ip: (n: number) => string) {
    const outcomes: string[] = [];
    for (let n = 0; n < times; n++) {
      if (n % 50 === 0) ctx = asPractitioner(services, await makeTenant(services));
      outcomes.push(await send(address(n), ip(n)));
    }
    return outcomes;
  }
  const start = () => {
    now = new Date(Math.ceil(now.getTime() / HOUR) * HOUR + HOUR);
  };

  test('one place asks for 300 codes an hour, whichever clinics it names', async () => {
    start();
    const outcomes = await sendFromMany(
      301,
      (n) => `ada${n}@m${n}.example.test`,
      () => '2001:db8:9:9::1',
    );
    expect(outcomes.indexOf('rate_limited')).toBe(300);
    expect(await send('bob@example.test', '2001:db8:9:9:ffff::1')).toBe('rate_limited');
    expect(await send('bob@example.test', '2001:db8:9:8::1')).toBe('sent');
    now = new Date(now.getTime() + HOUR);
    expect(await send('ada@example.test', '2001:db8:9:9::1')).toBe('sent');
  });

  const place = (n: number) => `10.0.0.${n % 100}`;

  test('one exchange of an area gets 1,000 texts an hour, and a mail domain any number of mails', async () => {
    start();
    for (let n = 0; n < 999; n++) countSpend(ctx, { source: place(n), prefix: '+1310555' });
    expect(await send('+13105550100', '192.0.2.7')).toBe('sent');
    expect(await send('+13105550101', '192.0.2.8')).toBe('rate_limited');
    expect(await send('+13105560101', '192.0.2.8')).toBe('sent');
    for (let n = 0; n < 1500; n++) countSpend(ctx, { source: place(n), prefix: 'example.test' });
    expect(await send('ada@example.test', '192.0.2.9')).toBe('sent');
  });

  test('20,000 codes an hour is all there is, whichever process counted them', async () => {
    start();
    const there = testServices(database, {}, { clock: services.clock, cipher: services.cipher });
    const elsewhere = asPractitioner(there, await makeTenant(there));
    for (let n = 0; n < 14_000; n++) countSpend(ctx, { source: place(n), prefix: 'example.test' });
    for (let n = 0; n < 5_999; n++) countSpend(elsewhere, { source: place(n), prefix: 'example.test' });
    // Both exchange their counts twice a second, once they are above a quarter of the limit.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    countSpend(elsewhere, { source: 'there', prefix: 'example.test' });
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(countSpend(elsewhere, { source: 'there', prefix: 'example.test' })).toBeGreaterThan(3000);
    now = new Date(now.getTime() + HOUR);
    expect(countSpend(elsewhere, { source: 'there', prefix: 'example.test' })).toBe(0);
    await there.database.close();
  });
});
