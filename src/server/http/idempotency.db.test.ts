import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { asApplication, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { type Clock, HOUR, MINUTE, SECOND } from '../core/clock.ts';
import type { Context, KeyedRequest, Services } from '../core/context.ts';
import { createCaller } from '../router.ts';
import type { HttpResponse } from './handler.ts';
import { type IdempotentWork, runIdempotent as onceByKey } from './idempotency.ts';

const request = (body = '{}') => ({ method: 'POST', path: '/api/v1/patients', query: '', body });
const once = (ctx: Context, key: string, sent: ReturnType<typeof request>, run: () => Promise<HttpResponse>) =>
  onceByKey(ctx, key, sent, workOf(run));
function makeGate() {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}
/** Work that stores no outcome. */
const workOf = (run: () => Promise<HttpResponse>): IdempotentWork => ({
  route: {},
  run: async () => {
    const response = await run();
    return { response, isFinal: response.status < 500 };
  },
  rebuild: () => created('{"never":true}'),
});
const created = (body: string): HttpResponse => ({ status: 201, headers: { location: '/x', 'request-id': 'r' }, body });

describe('an Idempotency-Key', () => {
  let clinic: Clinic;
  let services: Services;
  let ctx: Context;
  let now = Date.now();
  const clock: Clock = { now: () => new Date(now) };
  beforeAll(async () => {
    clinic = await withClinic({ overrides: { clock } });
    ({ services } = clinic);
    ctx = asApplication(services, await makeTenant(services));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  afterAll(() => clinic?.stop());
  const leaseOf = async (key: string) => (await ctx.db.idempotencyKey.findFirstOrThrow({ where: { key } })).lockedAt;
  /** As if its process had been stalled since. */
  const expire = (key: string) =>
    ctx.db.idempotencyKey.updateMany({ where: { key }, data: { lockedAt: new Date(Date.now() - MINUTE) } });
  /** Starts a run and returns its view of the key; `end` completes it. */
  async function startRun(key: string) {
    const [started, end] = [makeGate(), makeGate()];
    let keyed: KeyedRequest | null = null;
    const ended = onceByKey(ctx, key, request(), {
      ...workOf(async () => created('{}')),
      run: async (received) => {
        keyed = received;
        started.open();
        await end.promise;
        return { response: created('{}'), isFinal: true };
      },
    });
    await started.promise;
    return {
      keyed: keyed as unknown as KeyedRequest,
      async end() {
        end.open();
        await ended;
      },
    };
  }

  it('replays the first response without a second run', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
      return created(`{"run":${runs}}`);
    };
    await once(ctx, 'replay', request(), work);
    const replayed = await once(ctx, 'replay', request(), work);
    expect(runs).toBe(1);
    expect(replayed).toEqual({
      status: 201,
      headers: { location: '/x', 'idempotent-replayed': 'true' },
      body: '{"run":1}',
    });
  });

  it('rejects another body with the same key', async () => {
    await once(ctx, 'reused', request('{"a":1}'), async () => created('{}'));
    await expect(once(ctx, 'reused', request('{"a":2}'), async () => created('{}'))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  it('runs one of many concurrent requests and returns 409 to the others', async () => {
    let runs = 0;
    const rejections: unknown[] = [];
    let release = () => {};
    const allOthersRejected = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = async () => {
      runs += 1;
      await allOthersRejected;
      return created('{}');
    };
    const one = () =>
      once(ctx, 'racing', request(), slow).catch((error) => {
        if (rejections.push(error) === 11) release();
      });
    await Promise.all(Array.from({ length: 12 }, one));
    expect(runs).toBe(1);
    for (const error of rejections)
      expect(error).toMatchObject({ code: 'idempotency_key_in_use', headers: { 'retry-after': '1' } });
  });

  it('does not store a 5xx response or a crash, so that the request may be retried', async () => {
    await once(ctx, 'failing', request(), async () => ({ status: 503, headers: {}, body: '{}' }));
    await expect(once(ctx, 'failing', request(), () => Promise.reject(new Error('crash')))).rejects.toThrow('crash');
    expect((await once(ctx, 'failing', request(), async () => created('{}'))).status).toBe(201);
  });

  it('stores a 4xx response too', async () => {
    const error = { status: 422, headers: {}, body: '{"errors":[]}' };
    await once(ctx, 'refused', request(), async () => error);
    expect((await once(ctx, 'refused', request(), async () => created('{}'))).status).toBe(422);
  });

  it('is scoped to the caller', async () => {
    await once(ctx, 'shared', request(), async () => created('{"of":1}'));
    const other = asApplication(services, { id: ctx.tenantId });
    expect((await once(other, 'shared', request(), async () => created('{"of":2}'))).body).toBe('{"of":2}');
  });

  it('expires after a day, and is taken over after its process died', async () => {
    await once(ctx, 'daily', request('{"day":1}'), async () => created('{}'));
    const unfinished = once(ctx, 'dead', request(), () => new Promise<HttpResponse>(() => {}));
    await vi.waitFor(async () => expect(await ctx.db.idempotencyKey.count({ where: { key: 'dead' } })).toBe(1));
    await expire('dead');
    expect((await once(ctx, 'dead', request(), async () => created('{"second":true}'))).body).toBe('{"second":true}');
    now += 25 * HOUR;
    expect((await once(ctx, 'daily', request('{"day":2}'), async () => created('{"day":2}'))).body).toBe('{"day":2}');
    void unfinished;
  });

  it('is neither overwritten nor released by a slow run while another run holds it', async () => {
    for (const slowResponse of [created('{"slow":true}'), { status: 503, headers: {}, body: '{}' }]) {
      const key = `slow-${slowResponse.status}`;
      const [slowGate, secondGate] = [makeGate(), makeGate()];
      const holders = () => ctx.db.idempotencyKey.findMany({ where: { key }, select: { holder: true } });
      const slow = once(ctx, key, request(), () => slowGate.promise.then(() => slowResponse));
      await vi.waitFor(async () => expect(await holders()).toHaveLength(1));
      const [before] = await holders();
      await expire(key);
      const second = once(ctx, key, request(), () => secondGate.promise.then(() => created('{"second":true}')));
      await vi.waitFor(async () => expect(await holders()).not.toEqual([before]));
      slowGate.open();
      await slow;
      const third = () => once(ctx, key, request(), async () => created('{"third":true}'));
      await expect(third()).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
      secondGate.open();
      await second;
      expect((await third()).body).toBe('{"second":true}');
    }
  });

  it('that was taken over makes the slow run’s transaction fail', async () => {
    const gate = makeGate();
    const creating = (gatePromise: Promise<void>): IdempotentWork => ({
      route: { does: ['patients.create'] },
      run: async (keyed) => {
        await gatePromise;
        const view = await createCaller({ ...ctx, keyed }).patients.create({ first_name: 'Once' });
        return { response: created(JSON.stringify(view)), isFinal: true };
      },
      rebuild: (outcome) => created(JSON.stringify(outcome)),
    });
    const slow = onceByKey(ctx, 'overtaken', request(), creating(gate.promise)).catch((error) => error);
    await vi.waitFor(async () => expect(await ctx.db.idempotencyKey.count({ where: { key: 'overtaken' } })).toBe(1));
    await expire('overtaken');
    const first = await onceByKey(ctx, 'overtaken', request(), creating(Promise.resolve()));
    gate.open();
    expect(await slow).toMatchObject({ cause: { code: 'idempotency_key_in_use' } });
    expect(await ctx.db.patient.count({ where: { firstName: 'Once' } })).toBe(1);
    const retried = await onceByKey(ctx, 'overtaken', request(), creating(Promise.resolve()));
    expect(retried.body).toBe(first.body);
  });

  it('stays held by a long run, which renews its lease', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const run = await startRun('long');
    const expired = Date.now() - 5 * SECOND;
    await ctx.db.idempotencyKey.updateMany({ where: { key: 'long' }, data: { lockedAt: new Date(expired) } });
    vi.advanceTimersByTime(3 * SECOND);
    await vi.waitFor(async () => expect((await leaseOf('long')).getTime()).toBeGreaterThan(expired));
    await run.end();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that was taken over from a stalled run stops its calls to providers', async () => {
    const run = await startRun('stopped');
    await run.keyed.assertHeld();
    await expire('stopped');
    await once(ctx, 'stopped', request(), async () => created('{"second":true}'));
    const later = performance.now() + 20 * SECOND;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    for (let time = 0; time < 2; time += 1)
      await expect(run.keyed.assertHeld()).rejects.toMatchObject({
        code: 'idempotency_key_in_use',
        headers: { 'retry-after': '1' },
      });
    await run.end();
    expect((await once(ctx, 'stopped', request(), async () => created('{}'))).body).toBe('{"second":true}');
  });

  it('is held again by a stalled run if no other run has taken it over', async () => {
    const run = await startRun('paused');
    await expire('paused');
    const later = performance.now() + 20 * SECOND;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    await run.keyed.assertHeld();
    expect((await leaseOf('paused')).getTime()).toBeGreaterThan(Date.now() - MINUTE / 2);
    await expect(once(ctx, 'paused', request(), async () => created('{}'))).rejects.toMatchObject({
      code: 'idempotency_key_in_use',
    });
    await run.end();
  });

  it('whose work is done without a stored response returns the stored outcome at once', async () => {
    const unfinished: IdempotentWork = {
      route: { does: ['patients.create'] },
      run: async (keyed) => {
        await createCaller({ ...ctx, keyed }).patients.create({ first_name: 'Unanswered' });
        return new Promise(() => {});
      },
      rebuild: (outcome) => created(JSON.stringify(outcome)),
    };
    void onceByKey(ctx, 'unanswered', request(), unfinished);
    await vi.waitFor(async () => expect(await ctx.db.patient.count({ where: { firstName: 'Unanswered' } })).toBe(1));
    for (let time = 0; time < 2; time += 1) {
      const replayed = await onceByKey(ctx, 'unanswered', request(), unfinished);
      expect(JSON.parse(replayed.body!)).toMatchObject({ first_name: 'Unanswered' });
      expect(replayed.headers['idempotent-replayed']).toBe('true');
    }
    await expect(onceByKey(ctx, 'unanswered', request('{"other":1}'), unfinished)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(await ctx.db.patient.count({ where: { firstName: 'Unanswered' } })).toBe(1);
  });

  it('that was released accepts the same request again and no other', async () => {
    const failed = async () => ({ status: 503, headers: {}, body: '{}' });
    await once(ctx, 'let-go', request('{"a":1}'), failed);
    await expect(once(ctx, 'let-go', request('{"a":2}'), failed)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect((await once(ctx, 'let-go', request('{"a":1}'), async () => created('{}'))).status).toBe(201);
  });

  it('stores no response in plain text', async () => {
    await once(ctx, 'secret', request(), async () => created('{"client_secret":"canary-7f3a"}'));
    const rows = await ctx.db.idempotencyKey.findMany({ where: { key: 'secret' } });
    expect(Buffer.from(rows[0]!.body!).toString('latin1')).not.toContain('canary-7f3a');
  });
});
