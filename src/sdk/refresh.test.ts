import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ConfigureOptions, configureFlow, currentClient } from './client.ts';
import { passwordless, user } from './node.ts';
import { freshSession } from './refresh.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { type AuthStorage, memoryStorage } from './vault.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TOKEN = 'POST /oauth2/token';

function makeGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** The part of Web Locks that is used, as the tabs of one browser see it. */
function lockManager() {
  const held: { name: string }[] = [];
  const queues = new Map<string, Promise<unknown>>();
  return {
    query: async () => ({ held }),
    request(name: string, { mode }: { mode?: string }, work: () => Promise<unknown>) {
      const lock = { name };
      const run = async () => {
        held.push(lock);
        return work().finally(() => held.splice(held.indexOf(lock), 1));
      };
      if (mode === 'shared') return run();
      const result = (queues.get(name) ?? Promise.resolve()).then(run);
      queues.set(
        name,
        result.catch(() => undefined),
      );
      return result;
    },
  };
}

describe('refreshing', () => {
  let identity: FakeIdentity;
  let storage: AuthStorage;
  let clockMs: number;
  let refreshes: () => number;
  const now = () => Date.now() + clockMs;
  const configure = (options: ConfigureOptions = {}) =>
    passwordless.configure(identity.configurationToken('passwordless'), { storage, now, ...options });
  const advanceClock = (milliseconds: number) => {
    clockMs += milliseconds;
    identity.control.aheadMs += milliseconds;
  };

  beforeAll(async () => {
    identity = await startFakeIdentity();
    identity.add({ phone: '+12025550123', isConfirmed: true });
  });
  beforeEach(async () => {
    Object.assign(identity.control, { aheadMs: 0, losses: [], isDown: false, delayMs: 0, instead: {} });
    clockMs = 0;
    storage = memoryStorage();
    configure();
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    const before = identity.count(TOKEN);
    refreshes = () => identity.count(TOKEN) - before;
  });
  afterAll(() => identity.close());

  test('refreshes within 60 s of expiry, not before', async () => {
    const first = await user.getAccessToken();
    advanceClock(58.9 * MINUTE);
    expect(await user.getAccessToken()).toBe(first);
    advanceClock(0.2 * MINUTE);
    const second = await user.getAccessToken();
    expect(second).not.toBe(first);
    expect(await user.getAccessToken()).toBe(second);
    expect(refreshes()).toBe(1);
  });

  test('refreshes once for 100 concurrent callers', async () => {
    advanceClock(2 * 60 * MINUTE);
    identity.control.delayMs = 50;
    const tokens = await Promise.all(Array.from({ length: 100 }, () => user.getAccessToken()));
    expect(new Set(tokens).size).toBe(1);
    expect(refreshes()).toBe(1);
  });

  test('continues for 30 days at most, regardless of the number of refreshes', async () => {
    for (let day = 0; day < 29; day++) {
      advanceClock(DAY);
      await user.getAccessToken();
    }
    advanceClock(DAY - 30 * MINUTE);
    await user.getAccessToken();
    advanceClock(31 * MINUTE);
    await expect(user.getPayload()).rejects.toMatchObject({ name: 'SignInRequiredError', code: 'sign_in_required' });
    await expect(user.getAccessToken()).rejects.toMatchObject({ name: 'NotSignedInError' });
    expect(refreshes()).toBe(30);
  });

  test.each([10, -10])('works with a clock that is %d minutes ahead', async (minutes) => {
    clockMs = minutes * MINUTE;
    storage = memoryStorage();
    configure();
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await user.getAccessToken();
    expect(refreshes()).toBe(0);
    for (let hour = 0; hour < 3; hour++) {
      advanceClock(60 * MINUTE);
      await user.getAccessToken();
    }
    expect(refreshes()).toBe(3);
    advanceClock(30 * DAY);
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'sign_in_required' });
  });

  test('ten tabs without a shared lock all stay signed in', async () => {
    advanceClock(2 * 60 * MINUTE);
    identity.control.delayMs = 30;
    const tabs = Array.from({ length: 10 }, () => {
      // Each tab has its own storage object, so that only the stored data and the service are shared.
      const { getItem, setItem, removeItem } = storage;
      configureFlow('passwordless', identity.configurationToken('passwordless'), {
        storage: { getItem, setItem, removeItem },
        now,
      });
      return currentClient();
    });
    const sessions = await Promise.all(tabs.map((tab) => freshSession(tab)));
    advanceClock(59.5 * MINUTE);
    for (const tab of tabs) await freshSession(tab);
    expect(sessions.every(({ accessToken }) => accessToken.startsWith('e30.'))).toBe(true);
    expect(identity.sessions.at(-1)!.refresh.length).toBeLessThanOrEqual(3);
  });

  test('refreshes once for two tabs when the second one sees the storage with a delay', async () => {
    vi.stubGlobal('window', undefined);
    vi.stubGlobal('navigator', { locks: lockManager() });
    const { getItem, setItem, removeItem } = storage;
    let staleValue: string | null | undefined;
    const openTab = (view: AuthStorage) => {
      configureFlow('passwordless', identity.configurationToken('passwordless'), { storage: view, now });
      return currentClient();
    };
    const first = openTab({ getItem, setItem, removeItem });
    const second = openTab({ getItem: async (key) => staleValue ?? getItem(key), setItem, removeItem });
    staleValue = await getItem(first.key);
    vi.stubGlobal('window', {});
    advanceClock(2 * 60 * MINUTE);
    const [firstRefresh, secondRefresh] = [freshSession(first), freshSession(second)];
    await firstRefresh;
    setTimeout(() => {
      staleValue = undefined;
    }, 300);
    expect((await secondRefresh).accessToken).toBe((await firstRefresh).accessToken);
    expect(refreshes()).toBe(1);
    vi.unstubAllGlobals();
  });

  test('retries immediately after a lost response, within the grace period', async () => {
    advanceClock(2 * 60 * MINUTE);
    identity.control.losses.push(TOKEN);
    expect(await user.getAccessToken()).toMatch(/^e30\./);
    expect(refreshes()).toBe(2);
  });

  test('uses the last minute of the token when offline, then throws a retryable error, then works again', async () => {
    const first = await user.getAccessToken();
    advanceClock(59.5 * MINUTE);
    identity.control.isDown = true;
    expect(await user.getAccessToken()).toBe(first);
    advanceClock(MINUTE);
    await expect(user.getAccessToken()).rejects.toMatchObject({ name: 'NetworkError', retryable: true });
    identity.control.isDown = false;
    expect(await user.getAccessToken()).not.toBe(first);
  }, 20_000);

  test('a response that arrives after the sign-out does not sign in again', async () => {
    const [gate, requested] = [makeGate(), makeGate()];
    configure({
      async fetch(...request) {
        const response = await fetch(...request);
        if (String(request[0]).endsWith('/token')) {
          requested.open();
          await gate.opened;
        }
        return response;
      },
    });
    advanceClock(2 * 60 * MINUTE);
    const lateResult = user.getAccessToken().catch((error) => error);
    await requested.opened;
    await user.signOut();
    gate.open();
    expect(await lateResult).toMatchObject({ code: 'not_signed_in' });
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
  });

  test('errors of a broken service say whether to retry', async () => {
    advanceClock(2 * 60 * MINUTE);
    for (const [reply, expected] of [
      [
        { status: 503, body: 'busy' },
        { name: 'ServiceError', code: 'service_unavailable', retryable: true },
      ],
      [
        { status: 200, body: '<html>' },
        { name: 'ServiceError', code: 'unexpected_answer', retryable: false },
      ],
      [
        { status: 429, body: { error: 'slow_down' } },
        { name: 'RateLimitedError', retryable: true },
      ],
      [
        { status: 404, body: '' },
        { name: 'ServiceError', code: 'unexpected_answer' },
      ],
    ] as const) {
      identity.control.instead[TOKEN] = reply;
      await expect(user.getAccessToken()).rejects.toMatchObject(expected);
    }
    identity.control.instead = {};
    expect(await user.getAccessToken()).toMatch(/^e30\./);
  }, 20_000);
});
