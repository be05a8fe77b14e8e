import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { forgetWishes, once } from './once.ts';

/** A wish whose tries end so, one after the other. @returns the keys they were made under */
async function keysOf(
  wish: string,
  ...ends: ('done' | 'lost' | 'refused')[]
): Promise<string[]> {
  const keys: string[] = [];
  for (const end of ends)
    await once(wish, async (key) => {
      keys.push(key);
      if (end === 'lost')
        throw ApiError.unreachable(new TypeError('failed to fetch'));
      if (end === 'refused')
        throw new ApiError('slot_taken', 'Somebody was faster.', {
          retryable: false,
        });
    }).catch(() => {});
  return keys;
}
const distinct = (keys: string[]) => new Set(keys).size;

afterEach(() => {
  forgetWishes();
  vi.unstubAllGlobals();
});

test('a wish whose answer was lost is repeated under the same key', async () => {
  expect(distinct(await keysOf('book 1', 'lost', 'lost', 'done'))).toBe(1);
});

test('a refused wish begins anew, and so does one of another form', async () => {
  expect(
    distinct(await keysOf('book 1', 'refused', 'lost', 'refused', 'done')),
  ).toBe(3);
  const before = await keysOf('book 1', 'lost');
  forgetWishes();
  expect(distinct([...before, ...(await keysOf('book 1', 'lost'))])).toBe(2);
});

test('two wishes have two keys', async () => {
  expect(
    distinct([
      ...(await keysOf('book 1', 'lost')),
      ...(await keysOf('book 2', 'lost')),
    ]),
  ).toBe(2);
});

test('keys outlive the page where there is a storage', async () => {
  const kept = new Map<string, string>();
  const setItem = (name: string, value: string) => void kept.set(name, value);
  const sessionStorage = {
    setItem,
    getItem: (name: string) => kept.get(name) ?? null,
    removeItem: () => {},
  };
  vi.stubGlobal('window', { sessionStorage });
  const [key] = await keysOf('book 1', 'lost');
  vi.resetModules();
  const { once: onceAfterReload } = await import('./once.ts');
  expect(await onceAfterReload('book 1', async (again) => again)).toBe(key);
});
