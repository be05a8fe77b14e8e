import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MeView } from '#contract/settings.ts';
import { createSessionLock } from './session-lock.ts';

const meOf = (user: string, tenant = 'riverbend') => ({ user: { id: user }, tenant: { id: tenant } }) as MeView;
const container = {} as HTMLElement;

let session: MeView | null | 'no response';
let log: string[];
let queries: QueryClient;
let lock: ReturnType<typeof createSessionLock>;
const read = vi.fn<() => Promise<MeView | null>>();

beforeEach(() => {
  vi.stubGlobal('window', new EventTarget());
  read.mockReset().mockImplementation(async () => {
    if (session === 'no response') throw new Error(session);
    return session;
  });
  log = [];
  queries = new QueryClient();
  queries.setQueryData(['chart'], 'of a patient');
  lock = createSessionLock({
    owner: 'riverbend/ada',
    queries,
    read,
    onAsk: (shown) => log.push(shown ? 'ask' : 'ask no more'),
    onUnlocked: () => log.push('unlocked'),
    page: {
      hide: () => {
        log.push('hide');
        return container;
      },
      show: () => log.push('show'),
      leave: (address) => log.push(`leave for ${address}`),
    },
  });
});
afterEach(() => {
  lock.leave('/');
  vi.unstubAllGlobals();
});

test('hides the page at once, and asks for the sign-in without a session', async () => {
  session = null;
  const checked = lock.check();
  expect(log).toEqual(['hide']);
  await checked;
  expect(log).toEqual(['hide', 'ask']);
  expect(lock.isLocked()).toBe(true);
  lock.lock();
  expect(read).toHaveBeenCalledOnce();
});

test('shows the page again once the same user is signed in at the same clinic', async () => {
  session = null;
  await lock.check();
  session = meOf('ada');
  await lock.check();
  expect(log.slice(2)).toEqual(['hide', 'ask no more', 'show', 'unlocked']);
  expect(lock.isLocked()).toBe(false);
  expect(queries.getQueryData(['chart'])).toBe('of a patient');
});

test.each([
  ['another user', meOf('bob')],
  ['the same user id at another clinic', meOf('ada', 'hillside')],
])('leaves for a fresh page when %s is signed in, and keeps no data', async (_, other) => {
  session = other;
  await lock.check();
  expect(log).toEqual(['hide', 'ask no more', 'leave for /']);
  expect(queries.getQueryData(['chart'])).toBeUndefined();
  session = meOf('ada');
  await lock.check();
  lock.lock();
  expect(log).toHaveLength(3);
  expect(lock.isLocked()).toBe(true);
});

test('stays hidden without a response, and is shown when the session turns out to last', async () => {
  session = 'no response';
  await lock.check();
  expect(log).toEqual(['hide', 'ask']);
  session = meOf('ada');
  await lock.check();
  expect(log).toContain('show');
});

test('asks once more when it is asked to check while it waits for a response', async () => {
  session = null;
  const first = lock.check();
  const second = lock.check();
  session = meOf('ada');
  await Promise.all([first, second]);
  expect(read).toHaveBeenCalledTimes(2);
  expect(log.at(-1)).toBe('unlocked');
});

test.each([
  ['no session', null],
  ['the session of another', meOf('bob')],
])('does not show the page when the latest response is %s', async (_, latest) => {
  const answers = [meOf('ada'), latest];
  read.mockImplementation(async () => answers.shift() ?? null);
  const first = lock.check();
  lock.lock();
  await first;
  expect(log).not.toContain('show');
  expect(lock.isLocked()).toBe(true);
});
