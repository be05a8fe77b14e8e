import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetSeat, holdSeat, keepHidden, keptSeat } from './kept-seat.ts';

const SHOWN = { isMuted: false, isCameraOff: false, isBlurred: false };
const MUTED = { ...SHOWN, isMuted: true };

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('window', {
    sessionStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

test('identifies a tab by one secret per appointment until it leaves, and updates what it hides', () => {
  const hold = holdSeat('a visit', SHOWN);
  expect(hold).toMatch(/^[\w-]{32,64}$/);
  keepHidden('a visit', MUTED);
  expect(keptSeat('a visit')).toEqual({ of: 'a visit', hold, hidden: MUTED });
  expect(holdSeat('a visit', MUTED)).toBe(hold);
  expect(keptSeat('another')).toBeNull();
  keepHidden('another', SHOWN);
  expect(keptSeat('a visit')?.hidden).toEqual(MUTED);
  forgetSeat();
  keepHidden('a visit', MUTED);
  expect(keptSeat('a visit')).toBeNull();
  expect(holdSeat('a visit', SHOWN)).not.toBe(hold);
});
