import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { clearIdempotencyKeys, withIdempotencyKey } from './idempotency.ts';

/**
 * Runs an operation whose attempts end as given.
 * @returns the keys of the attempts
 */
async function keysOf(
  operation: string,
  ...ends: ('done' | 'lost' | 'rejected')[]
): Promise<string[]> {
  const keys: string[] = [];
  for (const end of ends)
    await withIdempotencyKey(operation, async (key) => {
      keys.push(key);
      if (end === 'lost')
        throw ApiError.unreachable(new TypeError('failed to fetch'));
      if (end === 'rejected')
        throw new ApiError('slot_taken', 'Another appointment took the slot.', {
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
    distinct(await keysOf('book 1', 'rejected', 'lost', 'rejected', 'done')),
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
  const stored = new Map<string, string>();
  const setItem = (name: string, value: string) => void stored.set(name, value);
  const sessionStorage = {
    setItem,
    getItem: (name: string) => stored.get(name) ?? null,
    removeItem: () => {},
  };
  vi.stubGlobal('window', { sessionStorage });
  const [key] = await keysOf('book 1', 'lost');
  vi.resetModules();
  const { withIdempotencyKey: onceAfterReload } = await import('./idempotency.ts');
  expect(await onceAfterReload('book 1', async (again) => again)).toBe(key);
});
