import { expect, test } from 'vitest';
import { createShortcuts, type KeyPress } from './portal-shell.tsx';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  repeat: false,
  ...more,
});
const read = createShortcuts({ p: '/patients', c: '/elsewhere' });
const free = { isTyping: false, now: 0 };

test('maps each key to its action', () => {
  expect(read(press('/'), free)).toBe('palette');
  expect(read(press('k', { metaKey: true }), free)).toBe('palette');
  expect(read(press('c'), free)).toBe('new');
  expect(read(press('?'), free)).toBe('help');
  expect(read(press('j'), free)).toBe('next_row');
  expect(read(press('k', { repeat: true }), free)).toBe('previous_row');
  expect(read(press('c', { repeat: true }), free)).toBeNull();
  expect(read(press('x'), free)).toBeNull();
});

test('opens a page for g and a letter within the time limit', () => {
  expect(read(press('g'), free)).toBeNull();
  expect(read(press('p'), { ...free, now: 1000 })).toEqual({ goTo: '/patients' });
  expect(read(press('p'), { ...free, now: 1100 })).toBeNull();
  read(press('g'), { ...free, now: 2000 });
  expect(read(press('c'), { ...free, now: 2100 }), 'a letter after g is a page').toEqual({ goTo: '/elsewhere' });
  read(press('g'), { ...free, now: 3000 });
  expect(read(press('p'), { ...free, now: 5000 })).toBeNull();
});

test('ignores keys that belong to a field, a dialog or the browser', () => {
  for (const key of ['/', 'c', '?', 'g', 'j']) expect(read(press(key), { ...free, isTyping: true })).toBeNull();
  expect(read(press('c', { ctrlKey: true }), free)).toBeNull();
  expect(read(press('k', { ctrlKey: true }), { ...free, isTyping: true })).toBe('palette');
});
