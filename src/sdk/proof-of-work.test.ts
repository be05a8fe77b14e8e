import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { credentials, passwordless, user } from './node.ts';
import { solve } from './proof-of-work.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { memoryStorage } from './vault.ts';

describe('work that the service asks for', () => {
  let identity: FakeIdentity;
  beforeAll(async () => {
    identity = await startFakeIdentity();
  });
  beforeEach(() => {
    const storage = memoryStorage();
    credentials.configure(identity.configurationToken('credentials'), { storage });
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    Object.assign(identity.control, { workBits: 10, instead: {} });
  });
  afterAll(() => identity.close());

  test('is done unasked by every function that sends something', async () => {
    await passwordless.signUp('+12025550123');
    const waiting = await passwordless.signIn('+12025550123');
    await passwordless.completeSignIn(waiting, CODE);
    await user.updateEmail('new@example.test');
    await user.updatePhoneNumber('+12025550124');
    await credentials.signUp('ada@example.test', 'seven quiet rivers');
    await credentials.resendConfirmationCode('ada@example.test');
    await credentials.requestPasswordReset('ada@example.test');
    const asked = identity.seen.filter(({ body }) => 'proof_of_work' in body).map(({ path }) => path);
    expect(asked).toEqual([
      'POST /passwordless/sign_in',
      'PATCH /user/email',
      'PATCH /user/phone',
      'POST /credentials/sign_up',
      'POST /credentials/resend',
      'POST /credentials/reset',
    ]);
    const repeated = identity.seen.filter(({ path }) => path === 'POST /credentials/sign_up').map(({ body }) => body);
    expect({ ...repeated[1], proof_of_work: undefined }).toEqual({ ...repeated[0], proof_of_work: undefined });
  });

  test('that is not taken ends in a wait', async () => {
    const errors = [
      {
        status: '428',
        code: 'proof_of_work_required',
        detail: 'Again.',
        meta: { proof_of_work: { challenge: 'c', difficulty: 1, algorithm: 'sha-256' } },
      },
    ];
    identity.control.instead['POST /credentials/reset'] = { status: 428, body: { errors, request_id: 'req-9' } };
    const before = identity.seen.length;
    const refused = credentials.requestPasswordReset('ada@example.test');
    await expect(refused).rejects.toMatchObject({ name: 'RateLimitedError', code: 'rate_limited', retryable: true });
    expect(identity.seen.length).toBe(before + 2);
  });

  test.each([
    ['of another kind', { challenge: 'c', difficulty: 1, algorithm: 'argon2' }],
    ['without a challenge', { difficulty: 1, algorithm: 'sha-256' }],
    ['that is missing', undefined],
  ])('%s is an answer that this version does not understand', async (_, proof_of_work) => {
    const errors = [{ status: '428', code: 'proof_of_work_required', detail: 'Again.', meta: { proof_of_work } }];
    identity.control.instead['POST /credentials/reset'] = { status: 428, body: { errors, request_id: 'req-9' } };
    await expect(credentials.requestPasswordReset('ada@example.test')).rejects.toMatchObject({ name: 'ServiceError' });
  });
});

describe('a solution', () => {
  test.each([0, 1, 7, 8, 9, 13])('has %i zero bits in front', async (difficulty) => {
    const { challenge, nonce } = await solve({ challenge: `a challenge of ${difficulty}`, difficulty });
    const hash = createHash('sha256').update(`${challenge}:${nonce}`).digest('hex');
    expect(BigInt(`0x${hash}`) >> BigInt(256 - difficulty)).toBe(0n);
  });

  test('is looked for in slices, between which the page answers', async () => {
    // A clock that is 1 ms later at each reading: how many slices there are does not depend on the machine.
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      now += 1;
      return now;
    });
    onTestFinished(() => clock.mockRestore());
    let turns = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; turns += 1) await nextTurn();
    })();
    const work = solve({ challenge: 'too much', difficulty: 26 }, 400);
    await expect(work).rejects.toMatchObject({ name: 'RateLimitedError', retryable: true });
    isOver = true;
    await counting;
    expect(turns).toBeGreaterThan(20);
  });

  test('is not looked for where nobody would find it', async () => {
    await expect(solve({ challenge: 'c', difficulty: 64 })).rejects.toMatchObject({ name: 'RateLimitedError' });
  });
});
