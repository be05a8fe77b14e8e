import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { credentials, passwordless, user } from './node.ts';
import { solve } from './proof-of-work.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { memoryStorage } from './vault.ts';

describe('proof of work', () => {
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

  test('is solved automatically by every function that sends a message', async () => {
    await passwordless.signUp('+12025550123');
    const waiting = await passwordless.signIn('+12025550123');
    await passwordless.completeSignIn(waiting, CODE);
    await user.updateEmail('new@example.test');
    await user.updatePhoneNumber('+12025550124');
    await credentials.signUp('ada@example.test', 'seven quiet rivers');
    await credentials.resendConfirmationCode('ada@example.test');
    await credentials.requestPasswordReset('ada@example.test');
    const solvedPaths = identity.requests.filter(({ body }) => 'proof_of_work' in body).map(({ path }) => path);
    expect(solvedPaths).toEqual([
      'POST /passwordless/sign_in',
      'PATCH /user/email',
      'PATCH /user/phone',
      'POST /credentials/sign_up',
      'POST /credentials/resend',
      'POST /credentials/reset',
    ]);
    const repeated = identity.requests
      .filter(({ path }) => path === 'POST /credentials/sign_up')
      .map(({ body }) => body);
    expect({ ...repeated[1], proof_of_work: undefined }).toEqual({ ...repeated[0], proof_of_work: undefined });
  });

  test('throws RateLimitedError when the service rejects the solution', async () => {
    const errors = [
      {
        status: '428',
        code: 'proof_of_work_required',
        detail: 'Again.',
        meta: { proof_of_work: { challenge: 'c', difficulty: 1, algorithm: 'sha-256' } },
      },
    ];
    identity.control.instead['POST /credentials/reset'] = { status: 428, body: { errors, request_id: 'req-9' } };
    const before = identity.requests.length;
    const rejected = credentials.requestPasswordReset('ada@example.test');
    await expect(rejected).rejects.toMatchObject({ name: 'RateLimitedError', code: 'rate_limited', retryable: true });
    expect(identity.requests.length).toBe(before + 2);
  });

  test.each([
    ['of another kind', { challenge: 'c', difficulty: 1, algorithm: 'argon2' }],
    ['without a challenge', { difficulty: 1, algorithm: 'sha-256' }],
    ['that is missing', undefined],
  ])('%s throws ServiceError', async (_, proof_of_work) => {
    const errors = [{ status: '428', code: 'proof_of_work_required', detail: 'Again.', meta: { proof_of_work } }];
    identity.control.instead['POST /credentials/reset'] = { status: 428, body: { errors, request_id: 'req-9' } };
    await expect(credentials.requestPasswordReset('ada@example.test')).rejects.toMatchObject({ name: 'ServiceError' });
  });
});

describe('solve()', () => {
  test.each([0, 1, 7, 8, 9, 13])('finds a hash with %i leading zero bits', async (difficulty) => {
    const { challenge, nonce } = await solve({ challenge: `a challenge of ${difficulty}`, difficulty });
    const hash = createHash('sha256').update(`${challenge}:${nonce}`).digest('hex');
    expect(BigInt(`0x${hash}`) >> BigInt(256 - difficulty)).toBe(0n);
  });

  test('works in slices, so that the page stays responsive', async () => {
    // A clock that advances 1 ms at each reading, so that the number of slices does not depend on the machine.
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

  test('throws immediately when the difficulty is too high', async () => {
    await expect(solve({ challenge: 'c', difficulty: 64 })).rejects.toMatchObject({ name: 'RateLimitedError' });
  });
});
