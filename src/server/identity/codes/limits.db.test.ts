import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asPractitioner, makeTenant } from '#testing/actors.ts';
import { createTestDatabase, type TestDatabase } from '#testing/database.ts';
import { testServices } from '#testing/services.ts';
import { HOUR } from '../../core/clock.ts';
import type { Context, Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { sourceOf } from '../sessions/network-of.ts';
import { countSend } from './count-send.ts';
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

  test('by nothing that another clinic sends', async () => {
    await sentBefore(3000, {});
    ctx = asPractitioner(services, await makeTenant(services));
    expect(await send('ada@example.test', '192.0.2.1')).toBe('sent');
  });
});
