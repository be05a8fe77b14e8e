import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { testServices } from '#dev/testing/services.ts';
import { HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import type { CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { sourceOf } from '#server/core/ip-address.ts';
import { deviceHash } from '../known-device.ts';
import { personKey } from '../person.ts';
import { markSendUsed } from './consume-code.ts';
import { assertWithinSpending, countSend, isSolved, makeChallenge, type SendRequest } from './count-send.ts';

/** Without `PROVE`, most earlier sends are inserted as rows. */
const LONG = Boolean(process.env.PROVE);

let clinic: Clinic;
let services: Services;
let ctx: Context;
let now = new Date();

beforeAll(async () => {
  clinic = await withClinic({ overrides: { clock: { now: () => now } } });
  ({ services } = clinic);
});
afterAll(() => clinic?.stop());
beforeEach(async () => {
  ctx = asPractitioner(services, await makeTenant(services));
});

type RequestInput = Partial<Pick<SendRequest, 'purpose'> & SendRequest['input']>;
const requestCode = (address: string, ip: string, { purpose = 'reset', ...input }: RequestInput = {}) =>
  countSend(ctx.db, ctx, { address, purpose, caller: { ip }, input });
const send = (address: string, ip: string, input?: RequestInput) =>
  requestCode(address, ip, input).then(
    () => 'sent',
    (error) => error.code,
  );
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

/** Adds a patient who signs in with both addresses, on a known device. */
async function addOwner(email: string, phoneNumber: string): Promise<{ device: string }> {
  const { db, tenantId } = ctx;
  const [id, device] = [newId(), newId()];
  await db.patient.create({ data: { id, tenantId, email } });
  await db.patientSignIn.create({ data: { tenantId, patientId: id, phoneNumber } });
  const times = { lastUsedAt: now, expiresAt: new Date(now.getTime() + 90 * 24 * HOUR), createdAt: now };
  await db.knownDevice.create({ data: { tenantId, hash: deviceHash(device), patientId: id, ...times } });
  return { device };
}

/** Inserts recent sends to one person, each requested by another source. */
async function sentBefore(rows: number, person: string) {
  await ctx.db.$executeRaw`
    insert into code_sends (id, tenant_id, person, source, sent_at)
    select gen_random_uuid(), ${ctx.tenantId}::uuid, ${personKey(ctx, person)}, gen_random_uuid()::text, ${now}::timestamptz
    from generate_series(1, ${rows}::int)`;
}

type Spending = Partial<Parameters<typeof assertWithinSpending>[1]>;
/** Counts one send under the hourly limits: by default of a text requested by an unknown source. */
function spend(by: Context, spending: Spending): string {
  try {
    assertWithinSpending(by, { known: false, texted: true, sourceAddress: '192.0.2.99', prefix: null, ...spending });
    return 'sent';
  } catch (error) {
    return (error as CarelaneError).code;
  }
}
/** Counts sends requested by known devices. */
const spendKnown = (sends: number, spending: Spending) => {
  for (let n = 0; n < sends; n++) spend(ctx, { known: true, ...spending });
};
/** The first instant of a later hour: windows are fixed. */
const startHour = () => {
  now = new Date((Math.floor(now.getTime() / HOUR) + 2) * HOUR);
};

describe('hourly limits of one clinic', () => {
  beforeEach(startHour);

  test.each([
    ['one address', '192.0.2.1', '192.0.2.1'],
    ['one /64', '2001:db8:0:1::1', '2001:db8:0:1::9:9'],
  ])('allow %s to request a hundred codes, without delaying known devices there', async (_, before, ip) => {
    const { device } = await addOwner('owner@example.test', '+12025550177');
    for (let n = 0; n < 99; n++) spend(ctx, { sourceAddress: sourceOf(before) });
    expect(await send('ada@example.test', ip)).toBe('sent');
    expect(await send('bob@example.test', ip)).toBe('rate_limited');
    expect(await send('owner@example.test', ip, { device })).toBe('sent');
    pass(HOUR + 1);
    expect(await send('bob@example.test', ip)).toBe('sent');
  });

  test.each([
    ['to one exchange of an area', 300, ['+1202555']],
    ['by text', 3000, Array.from({ length: 50 }, (_, n) => `+13105${n + 10}`)],
    ['by email', 3000, [null]],
  ])('limit sends %s; the last fifth is reserved for known devices', async (_, limit, prefixes: (string | null)[]) => {
    const texted = prefixes[0] !== null;
    const purpose = texted ? 'sign_in' : 'reset';
    const address = texted ? '+12025550177' : 'owner@example.test';
    const spendBefore = (sends: number) => {
      for (let n = 0; n < sends; n++) spendKnown(1, { prefix: prefixes[n % prefixes.length]! });
    };
    const { device } = await addOwner('owner@example.test', '+12025550177');
    const strange = () => send(texted ? '+12025550188' : 'ada@example.test', '198.51.100.1', { purpose });
    spendBefore(limit * 0.7 - 1);
    expect(await strange()).toBe('sent');
    spendBefore(limit * 0.1 + 1);
    expect(await strange()).toBe('rate_limited');
    expect(await send(address, '198.51.100.1', { device, purpose })).toBe('sent');
    spendBefore(limit * 0.2);
    pass(MINUTE);
    expect(await send(address, '198.51.100.1', { device, purpose })).toBe('rate_limited');
    pass(HOUR);
    expect(await send(address, '198.51.100.1', { device, purpose })).toBe('sent');
    expect(await strange()).toBe('sent');
  });

  test('leave unknown devices a share of texts with a random margin, which stays the same within the hour', () => {
    const exchanges = Array.from({ length: 8 }, (_, n) => `+131055${n}`);
    const text = (prefix: string, n: number, more: Spending = {}) =>
      spend(ctx, { prefix, sourceAddress: `10.0.${exchanges.indexOf(prefix)}.${n % 99}`, ...more });
    const sentTo = (prefix: string) => {
      let count = 0;
      while (count < 300 && text(prefix, count) === 'sent') count += 1;
      return count;
    };
    const sent = exchanges.map(sentTo);
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(210);
    expect(Math.max(...sent)).toBeLessThanOrEqual(240);
    expect(new Set(sent).size).toBeGreaterThan(1);
    pass(50 * MINUTE);
    const [exchange] = exchanges as [string];
    spendKnown(1, { prefix: exchange });
    const more = Array.from({ length: 99 }, (_, n) => text(exchange, n, { texted: n % 2 === 0 }));
    expect(new Set(more)).toEqual(new Set(['rate_limited']));
    startHour();
    expect(exchanges.map(sentTo)).not.toEqual(sent);
  });

  test('are not used up by unsent messages: invented addresses of one mail provider, invented numbers', async () => {
    const sends = LONG ? 300 : 45;
    // With these, the texts would exceed the largest share of unknown devices.
    spendKnown(200, { prefix: '+1202555' });
    for (let n = 0; n < sends; n++) {
      expect(await send(`invented${n}@example.test`, `198.51.100.${n % 4}`)).toBe('sent');
      expect(await send(`+1202555${1000 + n}`, `198.51.100.${4 + (n % 4)}`, { purpose: 'sign_in' })).toBe('sent');
    }
    await addOwner('ada@example.test', '+12025550101');
    expect(await send('ada@example.test', '192.0.2.1')).toBe('sent');
    expect(await send('+12025550101', '192.0.2.1', { purpose: 'sign_in' })).toBe('sent');
  });

  test('count a text message only when it is sent: to a number that signs in or is to be added', async () => {
    await addOwner('ada@example.test', '+12025550101');
    await send('+12025550101', '192.0.2.1', { purpose: 'sign_in' });
    await send('+12025550102', '192.0.2.1', { purpose: 'sign_in' });
    await send('+12025550103', '192.0.2.1', { purpose: 'phone' });
    await send('ada@example.test', '192.0.2.1');
    const rows = await ctx.db.codeSend.findMany({ orderBy: { id: 'asc' } });
    expect(rows.filter(({ texted }) => texted)).toHaveLength(2);
  });

  test('affect another clinic only through the limits of the whole service', async () => {
    spendKnown(3000, {});
    expect(await send('ada@example.test', '192.0.2.1')).toBe('rate_limited');
    ctx = asPractitioner(services, await makeTenant(services));
    expect(await send('ada@example.test', '192.0.2.1')).toBe('sent');
  });
});

describe('one mailbox', () => {
  test('gets no more messages through invented names after a +', async () => {
    const outcomes = [];
    for (const name of ['ada+1', 'ada+2', 'ada+a+b', 'ada']) {
      outcomes.push(await send(`${name}@example.test`, '192.0.2.1'));
      pass(MINUTE);
    }
    // The waits of one mailbox: two minutes after the third code.
    expect(outcomes).toEqual(['sent', 'sent', 'sent', 'rate_limited']);
    expect(await send('ada+1@other.example.test', '192.0.2.1')).toBe('sent');
  });

  test('gets no more messages through concurrent requests for several names', async () => {
    const requests = Array.from({ length: 8 }, (_, n) =>
      ctx.db.$transaction((tx) =>
        countSend(tx, ctx, {
          address: `ada+${n}@example.test`,
          purpose: 'reset',
          caller: { ip: '192.0.2.1' },
          input: {},
        }),
      ),
    );
    const outcomes = await Promise.allSettled(requests);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('whose name starts with a + is not a number', async () => {
    spendKnown(300, { prefix: '+1202555' });
    expect(await send('+12025550199', '192.0.2.1', { purpose: 'sign_in' })).toBe('rate_limited');
    expect(await send('+1202555@example.test', '192.0.2.1')).toBe('sent');
  });
});

describe('a used code', () => {
  test('ends the waits of its requester for all purposes, and of no other caller', async () => {
    const { device } = await addOwner('ada@example.test', '+12025550101');
    await requestCode('ada@example.test', '192.0.2.1', { purpose: 'confirm' });
    const { id } = await requestCode('ada@example.test', '192.0.2.1');
    await requestCode('ada@example.test', '198.51.100.1');
    expect(await send('ada@example.test', '192.0.2.1')).toBe('rate_limited');
    await requestCode('ada@example.test', '203.0.113.1', { device });
    await markSendUsed(ctx.db, ctx, id);
    expect(await send('ada@example.test', '192.0.2.1')).toBe('sent');
    expect(await send('ada@example.test', '198.51.100.1')).toBe('rate_limited');
    expect(await send('ada@example.test', '203.0.113.1', { device })).toBe('rate_limited');
  });

  test('of a known device ends the waits of that device at any source', async () => {
    const { device } = await addOwner('ada@example.test', '+12025550101');
    const { id } = await requestCode('ada@example.test', '192.0.2.1', { device });
    expect(await send('ada@example.test', '192.0.2.9', { device })).toBe('rate_limited');
    await markSendUsed(ctx.db, ctx, id);
    expect(await send('ada@example.test', '192.0.2.9', { device })).toBe('sent');
  });
});

test('a device is known to its own account only', async () => {
  const ada = await addOwner('ada@example.test', '+12025550101');
  await addOwner('bob@example.test', '+12025550102');
  for (const address of ['ada@example.test', 'bob@example.test', 'unknown@example.test'])
    for (let n = 0; n < 10; n++) {
      await requestCode(address, '198.51.100.1');
      pass(30 * SECOND * 2 ** n);
    }
  const sendAgain = (address: string) => send(address, '198.51.100.1', ada);
  expect(await Promise.all(['ada', 'bob', 'unknown'].map((name) => sendAgain(`${name}@example.test`)))).toEqual([
    'sent',
    'rate_limited',
    'rate_limited',
  ]);
});

describe('proof of work', () => {
  const solve = (challenge: string) => {
    const bound = { person: personKey(ctx, 'ada@example.test'), source: personKey(ctx, '192.0.2.1') };
    for (let n = 0; ; n++) if (isSolved(ctx, bound, { challenge, nonce: `${n}` })) return { challenge, nonce: `${n}` };
  };
  const ofAda = (bits: number, ip = '192.0.2.1') =>
    makeChallenge(ctx, { person: personKey(ctx, 'ada@example.test'), source: personKey(ctx, ip) }, bits);
  const sendSolved = (proof_of_work: { challenge: string; nonce: string }, address = 'ada@example.test') =>
    send(address, '192.0.2.1', { proof_of_work });

  beforeEach(() => sentBefore(20, 'ada@example.test'));

  test('is valid for the exact challenge, not for one that only starts with it', () => {
    const bound = { person: personKey(ctx, 'ada@example.test'), source: personKey(ctx, '192.0.2.1') };
    const challenge = ofAda(0);
    expect(isSolved(ctx, bound, { challenge, nonce: 'a:b' })).toBe(true);
    expect(isSolved(ctx, bound, { challenge: `${challenge}.:a`, nonce: 'b' })).toBe(false);
    expect(isSolved(ctx, bound, { challenge: `${challenge}.`, nonce: 'a:b' })).toBe(false);
  });

  test('is required by the error itself after twenty unused codes of unknown sources', async () => {
    const rejection = await requestCode('ada@example.test', '192.0.2.1').catch((error) => error);
    expect(rejection).toMatchObject({ code: 'proof_of_work_required', status: 428 });
    expect(rejection.faults[0].meta).toEqual({
      proof_of_work: { challenge: expect.any(String), difficulty: 18, algorithm: 'sha-256' },
    });
    // Challenge and nonce fit into one SHA-256 block.
    expect(rejection.faults[0].meta.proof_of_work.challenge.length).toBeLessThan(48);
    expect(await ctx.db.codeSend.count()).toBe(20);
    const { device } = await addOwner('ada@example.test', '+12025550101');
    expect(await send('ada@example.test', '192.0.2.1', { device })).toBe('sent');
  });

  test('works once, for ten minutes, for that person and source', async () => {
    const solved = solve(ofAda(4));
    const wrong: [string, { challenge: string; nonce: string }][] = [
      ['not solved', { challenge: ofAda(18), nonce: '0' }],
      ['easier than it was', { ...solved, challenge: solved.challenge.replace('.4.', '.1.') }],
      ['for another source', { ...solved, challenge: ofAda(0, '192.0.2.2') }],
      ['none', { challenge: 'nonsense', nonce: '' }],
    ];
    for (const [what, proof] of wrong)
      expect([what, await sendSolved(proof)]).toEqual([what, 'proof_of_work_required']);
    await sentBefore(20, 'bob@example.test');
    expect(await sendSolved(solve(ofAda(0)), 'bob@example.test')).toBe('proof_of_work_required');
    const { id } = await requestCode('ada@example.test', '192.0.2.1', { proof_of_work: solved });
    await markSendUsed(ctx.db, ctx, id);
    expect(await sendSolved(solved)).toBe('proof_of_work_required');
    const late = solve(ofAda(0));
    pass(10 * MINUTE);
    expect(await sendSolved(late)).toBe('proof_of_work_required');
  });

  test('comes with a code of ten digits, also for an address without an account; known devices get six digits', async () => {
    const { device } = await addOwner('ada@example.test', '+12025550101');
    await sentBefore(20, 'unknown@example.test');
    let sources = 0;
    const digits = async (address: string, input: RequestInput = {}) => {
      const ip = `192.0.2.${++sources}`;
      const bound = { person: personKey(ctx, address), source: personKey(ctx, ip) };
      const proof_of_work = { challenge: makeChallenge(ctx, bound, 0), nonce: '' };
      return (await requestCode(address, ip, { proof_of_work, ...input })).digits;
    };
    for (const purpose of ['confirm', 'reset', 'email', 'proof'] as const)
      for (const address of ['ada@example.test', 'unknown@example.test'])
        expect([purpose, address, await digits(address, { purpose })]).toEqual([purpose, address, 10]);
    expect(await digits('ada@example.test', { device })).toBe(6);
    expect(await digits('bob@example.test')).toBe(6);
  });

  test('is not required where the caller has to wait in any case', async () => {
    expect(await sendSolved(solve(ofAda(0)))).toBe('sent');
    expect(await send('ada@example.test', '192.0.2.1')).toBe('rate_limited');
  });
});

describe('limits of all clinics together', () => {
  /** Sends from a new clinic each 50 times, so that no clinic's own limit is reached. */
  async function sendFromMany(times: number, address: (n: number) => string, ip: (n: number) => string) {
    const outcomes: string[] = [];
    for (let n = 0; n < times; n++) {
      if (n % 50 === 0) ctx = asPractitioner(services, await makeTenant(services));
      outcomes.push(await send(address(n), ip(n)));
    }
    return outcomes;
  }
  beforeEach(startHour);

  test('one source may request 300 codes an hour over all clinics', async () => {
    const before = LONG ? 0 : 290;
    for (let n = 0; n < before; n++) {
      if (n % 50 === 0) ctx = asPractitioner(services, await makeTenant(services));
      spend(ctx, { sourceAddress: sourceOf('2001:db8:9:9::1') });
    }
    const outcomes = await sendFromMany(
      301 - before,
      (n) => `ada${n}@m${n}.example.test`,
      () => '2001:db8:9:9::1',
    );
    expect(outcomes.indexOf('rate_limited')).toBe(300 - before);
    expect(await send('bob@example.test', '2001:db8:9:9:ffff::1')).toBe('rate_limited');
    expect(await send('bob@example.test', '2001:db8:9:8::1')).toBe('sent');
    pass(HOUR);
    expect(await send('ada@example.test', '2001:db8:9:9::1')).toBe('sent');
  });

  test('one exchange gets 1,000 text messages an hour, the last fifth for known devices; unsent ones do not count', async () => {
    const clinics: Context[] = [];
    for (let n = 0; n < 5; n++) clinics.push(asPractitioner(services, await makeTenant(services)));
    const text = (n: number, more: Spending = {}) =>
      spend(clinics[n % 5]!, { prefix: '+1310555', sourceAddress: `10.0.${n % 7}.${n % 100}`, ...more });
    for (let n = 0; n < 900; n++) expect(text(n, { texted: false })).toBe('sent');
    for (let n = 0; n < 700; n++) expect(text(n)).toBe('sent');
    // The limit is random near its end, so send enough requests to reach it.
    for (let n = 0; n < 5000; n++) text(n);
    expect(text(0)).toBe('rate_limited');
    expect(text(0, { prefix: '+1310556' })).toBe('sent');
    let known = 0;
    while (known < 400 && text(known, { known: true }) === 'sent') known += 1;
    expect(known).toBeGreaterThanOrEqual(150);
    expect(known).toBeLessThanOrEqual(300);
  });

  test('the service sends 20,000 text messages an hour over all processes', async () => {
    const processes = [0, 1].map(() =>
      testServices(clinic.database, {}, { clock: services.clock, cipher: services.cipher }),
    );
    const [here, there] = processes as [Services, Services];
    const tenants = await Promise.all(Array.from({ length: 10 }, () => makeTenant(services)));
    // To each of a hundred exchanges, in turn from ten clinics, so that no other limit is reached.
    const text = (by: Services, n: number) =>
      spend(asPractitioner(by, tenants[Math.floor(n / 100) % 10]!), { known: true, prefix: `+1${200 + (n % 100)}555` });
    for (let n = 0; n < 14_000; n++) expect(text(here, n)).toBe('sent');
    await here.close();
    for (let n = 0; n < 4900; n++) expect(text(there, n)).toBe('sent');
    await there.rateLimiter.close(); // exchanges the counts
    let sent = 18_900;
    while (sent <= 20_000 && text(there, sent) === 'sent') sent += 1;
    // The share of known devices is at least 95 %.
    expect(sent).toBeGreaterThanOrEqual(19_000);
    expect(sent).toBeLessThanOrEqual(20_000);
    expect(spend(asPractitioner(there, tenants[0]!), {})).toBe('sent');
    pass(HOUR);
    expect(text(there, 0)).toBe('sent');
    await there.close();
  });
});
