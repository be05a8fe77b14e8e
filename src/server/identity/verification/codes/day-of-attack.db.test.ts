import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { CODE_POLICY } from '#server/core/rate-limits.ts';
import { completeSignIn } from '../../patients/passwordless/complete-sign-in.ts';
import { signIn } from '../../patients/passwordless/sign-in.ts';
import { personKey } from '../person.ts';
import { makeChallenge, type ProofOfWork } from './count-send.ts';

/**
 * Number of attacking addresses, and the interval of their attempts and of the owner's sign-ins in the simulated day.
 */
const ADDRESSES = process.env.PROVE ? 50 : 8;
const EVERY = process.env.PROVE ? 10 * MINUTE : 8 * HOUR;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
});
afterAll(() => bench?.stop());

/** Share of unknown devices in the text messages that a clinic sends to one exchange in an hour. */
const ATTACKERS_SHARE = 0.8 * 300;
const busiestHour = (times: number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + HOUR).length));

type CodeResult = { sent: true; challenge: string } | { sent: false; wait: number };

/** Requests a code as the app does, with a proof of work if required. */
async function requestCode(number: string, ip: string, device?: string): Promise<CodeResult> {
  const caller = { ip, userAgent: null, requestId: newId(), idempotencyKey: null };
  const { ctx, passwordless: client_id } = clinic;
  const send = (proof_of_work?: ProofOfWork) =>
    signIn(bench.services, caller, { client_id, phone_number: number, device, proof_of_work });
  const easy = () => ({
    challenge: makeChallenge(ctx, { person: personKey(ctx, number), source: personKey(ctx, ip) }, 0),
    nonce: '',
  });
  try {
    const { challenge } = await send().catch((error) => {
      if (!(error instanceof CarelaneError) || error.code !== 'proof_of_work_required') throw error;
      workCount += 1;
      return send(easy());
    });
    return { sent: true, challenge };
  } catch (error) {
    if (!(error instanceof CarelaneError) || error.code !== 'rate_limited') throw error;
    return { sent: false, wait: Number(error.headers['retry-after']) * SECOND };
  }
}
let workCount = 0;

/** Runs until `end`; later attempts belong to another day. */
type Attack = (number: string, end: number) => { tick(): Promise<void> };
const addressOf = (n: number) => `198.51.${100 + (n % 5)}.${n}`;
const addressIndexes = Array.from({ length: ADDRESSES }, (_, n) => n);
/** A wait after one of the first three codes, which an attacker waits out with the same address. */
const SHORT = 2 * MINUTE;

/** All addresses send requests in every tick. */
const inTurnAtFullSpeed: Attack = (number) => ({
  async tick() {
    for (let round = 0; round < 2; round++) for (const n of addressIndexes) await requestCode(number, addressOf(n));
  },
});

/** Each address sends its next request as soon as the announced wait is over, never earlier. */
const inTurnAsAllowed: Attack = (number, end) => {
  const allowedAt = addressIndexes.map((n) => bench.clock.now().getTime() + n * 31 * SECOND);
  return {
    async tick() {
      for (const n of addressIndexes) {
        const early = allowedAt[n]! - bench.clock.now().getTime();
        if (early > SHORT || allowedAt[n]! >= end) continue;
        if (early > 0) await bench.settled();
        bench.clock.pass(Math.max(0, early));
        const result = await requestCode(number, addressOf(n));
        allowedAt[n] = bench.clock.now().getTime() + (result.sent ? 31 * SECOND : result.wait);
      }
    },
  };
};

/** Uses one address until it gets no more codes, then the next; `atOnce` of them in every tick. */
const oneAfterAnother =
  (atOnce: number): Attack =>
  (number) => {
    let next = 0;
    return {
      async tick() {
        for (const end = Math.min(ADDRESSES, next + atOnce); next < end; next++)
          for (;;) {
            const result = await requestCode(number, addressOf(next));
            if (!result.sent && result.wait > SHORT) break;
            // Let the message arrive before its code expires.
            await bench.settled();
            bench.clock.pass(result.sent ? 31 * SECOND : result.wait);
          }
      },
    };
  };

const ATTACKS: [string, Attack][] = [
  ['in turn, at full speed', inTurnAtFullSpeed],
  ['in turn, each as soon as it may', inTurnAsAllowed],
  ['one after another, at full speed', oneAfterAnother(ADDRESSES)],
  ['one after another, over the whole day', oneAfterAnother(Math.ceil(ADDRESSES / (DAY / EVERY)))],
];

describe.each(ATTACKS)(`${ADDRESSES} addresses request a number’s codes for a day, %s`, (how, attack) => {
  test('the owner still signs in and gets few unwanted messages', async () => {
    clinic = await bench.tenant();
    const number = `+120255501${10 + ATTACKS.findIndex(([name]) => name === how)}`;
    const client_id = clinic.passwordless;
    const up = await bench.post('/passwordless/sign_up', { client_id, phone_number: number, attempt: newAttempt() });
    expect(up.status).toBe(202);
    const first = await requestCode(number, '192.0.2.1');
    let device = (await response(first)).device!;
    const end = bench.clock.now().getTime() + DAY;
    const attacker = attack(number, end);
    const waits = { known: 0, unknown: 0 };
    workCount = 0;

    async function response(result: CodeResult) {
      if (!result.sent) throw new Error('nothing was sent');
      const caller = { ip: '192.0.2.1', userAgent: null, requestId: newId(), idempotencyKey: null };
      const code = await bench.codeFor(number);
      return completeSignIn(bench.services, caller, { challenge: result.challenge, code });
    }
    /** Requests codes as often as allowed until one is sent; returns the time that it took. */
    async function waitForCode(ip: string, secret?: string): Promise<[CodeResult, number]> {
      for (let waited = 0; ; ) {
        const result = await requestCode(number, ip, secret);
        if (result.sent) return [result, waited];
        await bench.settled();
        bench.clock.pass(result.wait);
        waited += result.wait;
      }
    }
    /** An unknown device that requests three codes within 15 minutes and signs in with the last. */
    async function signInElsewhere(ip: string): Promise<number> {
      const [, waitedMs] = await waitForCode(ip);
      for (const more of [1, 2]) {
        const [result, wait] = await waitForCode(ip);
        expect(wait).toBeLessThanOrEqual(more * 30 * SECOND);
        if (more === 2) await response(result);
      }
      return waitedMs;
    }

    for (let turn = 0; bench.clock.now().getTime() < end; turn++) {
      await attacker.tick();
      await bench.settled();
      const [byDevice, known] = await waitForCode('192.0.2.2', device);
      waits.known = Math.max(waits.known, known);
      // When a code is not used, the next one is available within a minute too.
      if (turn % 5 > 0) device = (await response(byDevice)).device ?? device;
      else {
        const [unused, more] = await waitForCode('192.0.2.2', device);
        waits.known = Math.max(waits.known, more);
        await response(unused);
      }
      waits.unknown = Math.max(waits.unknown, await signInElsewhere(`203.0.113.${turn}`));
      bench.clock.pass(EVERY);
    }

    await bench.settled();
    const { db } = clinic.ctx;
    const attackSources = { source: { in: addressIndexes.map((n) => personKey(clinic.ctx, addressOf(n))) } };
    const granted = await db.codeSend.count({ where: attackSources });
    const ofAddress = await db.codeSend.groupBy({
      by: 'source',
      where: { texted: true, ...attackSources },
      _count: true,
    });
    const most = Math.max(...ofAddress.map(({ _count }) => _count));
    const unwanted = ofAddress.reduce((sum, { _count }) => sum + _count, 0);
    const { log } = console;
    log(
      `${ADDRESSES} addresses ${how}: ${granted} requests granted, ${unwanted} unwanted texts, at most ${most} for an address, ` +
        `${workCount} with work; a known device waited ${waits.known / SECOND} s at most, a new one ${waits.unknown / SECOND} s`,
    );
    expect(waits.known).toBeLessThanOrEqual(61 * SECOND);
    expect(waits.unknown).toBe(0);
    // The requests without proof of work, and one per address.
    expect(unwanted).toBeLessThanOrEqual(CODE_POLICY.allUnknownSources.perDay + ADDRESSES);
    expect(most).toBeLessThanOrEqual(CODE_POLICY.unknownSource.perDay);
    expect(workCount).toBeGreaterThanOrEqual(granted - CODE_POLICY.allUnknownSources.perDay);
    const texts = await db.codeSend.findMany({ where: { texted: true }, orderBy: { sentAt: 'asc' } });
    // The counted text messages are those that arrived.
    expect(await bench.messages(number)).toHaveLength(texts.length);
    expect(busiestHour(texts.map(({ sentAt }) => sentAt.getTime()))).toBeLessThanOrEqual(ATTACKERS_SHARE);
  }, 1_800_000);
});
