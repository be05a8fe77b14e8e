import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { clearIdempotencyKeys, withIdempotencyKey } from './idempotency.ts';

/**
 * Runs an operation whose attempts end as given.
 * @returns the keys of the attempts
 */
async function keysOf(
  wish: string,
  ...ends: ('done' | 'lost' | 'refused')[]
): Promise<string[]> {
  const keys: string[] = [];
  for (const end of ends)
    await withIdempotencyKey(wish, async (key) => {
      keys.push(key);
      if (end === 'lost')
        throw ApiError.unreachable(new TypeError('failed to fetch'));
      if (end === 'refused')
        throw new ApiError('slot_taken', 'Another booking was first.', {
          retryable: false,
        });
    }).catch(() => {});
  return keys;
}
const distinct = (keys: string[]) => new Set(keys).size;

afterEach(() => {
  clearIdempotencyKeys();
  vi.unstubAllGlobals();
});

test('repeats an operation with the same key after a lost response', async () => {
  expect(distinct(await keysOf('book 1', 'lost', 'lost', 'done'))).toBe(1);
});

test('uses a new key after an error, and on another form', async () => {
  expect(
    distinct(await keysOf('book 1', 'refused', 'lost', 'refused', 'done')),
  ).toBe(3);
  const before = await keysOf('book 1', 'lost');
  clearIdempotencyKeys();
  expect(distinct([...before, ...(await keysOf('book 1', 'lost'))])).toBe(2);
});

test('two operations have two keys', async () => {
  expect(
    distinct([
      ...(await keysOf('book 1', 'lost')),
      ...(await keysOf('book 2', 'lost')),
    ]),
  ).toBe(2);
});

test('keys survive a reload when there is a storage', async () => {
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
  const { withIdempotencyKey: onceAfterReload } = await import('./idempotency.ts');
  expect(await onceAfterReload('book 1', async (again) => again)).toBe(key);
});
