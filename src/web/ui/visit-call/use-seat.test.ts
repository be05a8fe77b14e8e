import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearStoredSeat, storedSeat, storeHidden, storeSeat } from './use-seat.ts';

const SHOWN = { isMuted: false, isCameraOff: false, isBlurred: false };
const MUTED = { ...SHOWN, isMuted: true };

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('window', {
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

test('identifies a tab by one secret per appointment until it leaves, and updates what it hides', () => {
  const hold = storeSeat('a visit', SHOWN);
  expect(hold).toMatch(/^[\w-]{32,64}$/);
  storeHidden('a visit', MUTED);
  expect(storedSeat('a visit')).toEqual({ of: 'a visit', hold, hidden: MUTED });
  expect(storeSeat('a visit', MUTED)).toBe(hold);
  expect(storedSeat('another')).toBeNull();
  storeHidden('another', SHOWN);
  expect(storedSeat('a visit')?.hidden).toEqual(MUTED);
  clearStoredSeat();
  storeHidden('a visit', MUTED);
  expect(storedSeat('a visit')).toBeNull();
  expect(storeSeat('a visit', SHOWN)).not.toBe(hold);
});
