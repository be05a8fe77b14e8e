import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, makeTenant } from '#testing/actors.ts';
import { createTestDatabase, type TestDatabase } from '#testing/database.ts';
import { testServices } from '#testing/services.ts';
import { type Clock, HOUR, MINUTE } from '../core/clock.ts';
import type { Context, Services } from '../core/context.ts';
import { once } from './idempotency.ts';
import type { DoorResponse } from './wire.ts';

const request = (body = '{}') => ({ method: 'POST', path: '/api/v1/patients', query: '', body });
const created = (body: string): DoorResponse => ({ status: 201, headers: { location: '/x', 'request-id': 'r' }, body });

describe('an Idempotency-Key', () => {
  let database: TestDatabase;
  let services: Services;
  let ctx: Context;
  let now = Date.now();
  const clock: Clock = { now: () => new Date(now) };
  beforeAll(async () => {
    database = await createTestDatabase();
    services = testServices(database, {}, { clock });
    ctx = asApplication(services, await makeTenant(services));
  });
  afterAll(async () => {
    await services.close();
    await database.drop();
  });

  it('gives the first answer again, without doing the work again', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
      return created(`{"run":${runs}}`);
    };
    await once(ctx, 'replay', request(), work);
    const again = await once(ctx, 'replay', request(), work);
    expect(runs).toBe(1);
    expect(again).toEqual({
      status: 201,
      headers: { location: '/x', 'idempotent-replayed': 'true' },
      body: '{"run":1}',
    });
  });

  it('refuses another body under the same key', async () => {
    await once(ctx, 'reused', request('{"a":1}'), async () => created('{}'));
    await expect(once(ctx, 'reused', request('{"a":2}'), async () => created('{}'))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  it('runs one of many at once and tells the others to wait', async () => {
    let runs = 0;
    const refused: unknown[] = [];
    let release = () => {};
    const allOthersAreRefused = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = async () => {
      runs += 1;
      await allOthersAreRefused;
      return created('{}');
    };
    const one = () =>
      once(ctx, 'racing', request(), slow).catch((refusal) => {
        if (refused.push(refusal) === 11) release();
      });
    await Promise.all(Array.from({ length: 12 }, one));
    expect(runs).toBe(1);
    for (const refusal of refused) expect(refusal).toMatchObject({ code: 'idempotency_key_in_use' });
  });

  it('does not keep a 5xx answer or a crash, so the request may be tried again', async () => {
    await once(ctx, 'failing', request(), async () => ({ status: 503, headers: {}, body: '{}' }));
    await expect(once(ctx, 'failing', request(), () => Promise.reject(new Error('crash')))).rejects.toThrow('crash');
    expect((await once(ctx, 'failing', request(), async () => created('{}'))).status).toBe(201);
  });

  it('keeps a refusal as well', async () => {
    const refusal = { status: 422, headers: {}, body: '{"errors":[]}' };
    await once(ctx, 'refused', request(), async () => refusal);
    expect((await once(ctx, 'refused', request(), async () => created('{}'))).status).toBe(422);
  });

  it('is another key for another caller', async () => {
    await once(ctx, 'shared', request(), async () => created('{"of":1}'));
    const other = asApplication(services, { id: ctx.tenantId });
    expect((await once(other, 'shared', request(), async () => created('{"of":2}'))).body).toBe('{"of":2}');
  });

  it('is forgotten after a day, and taken over when its process died', async () => {
    await once(ctx, 'daily', request('{"day":1}'), async () => created('{}'));
    const never = once(ctx, 'dead', request(), () => new Promise<DoorResponse>(() => {}));
    await new Promise((resolve) => setTimeout(resolve, 100));
    now += 3 * MINUTE;
    expect((await once(ctx, 'dead', request(), async () => created('{"second":true}'))).body).toBe('{"second":true}');
    now += 25 * HOUR;
    expect((await once(ctx, 'daily', request('{"day":2}'), async () => created('{"day":2}'))).body).toBe('{"day":2}');
    void never;
  });

  it('keeps no answer in the clear', async () => {
    await once(ctx, 'secret', request(), async () => created('{"client_secret":"canary-7f3a"}'));
    const rows = await ctx.db.idempotencyKey.findMany({ where: { key: 'secret' } });
    expect(Buffer.from(rows[0]!.body!).toString('latin1')).not.toContain('canary-7f3a');
  });
});
