import { expect, test, vi } from 'vitest';
import { createKeyBuffer } from './key-buffer.ts';

const NO_KEYS = { text: '', entered: false };

function press(target: EventTarget, key: string, modifiers: object = {}): boolean {
  const event = Object.assign(new Event('keydown', { cancelable: true }), { key, ...modifiers });
  return !target.dispatchEvent(event);
}

test('buffers typed keys with corrections, and returns them once', () => {
  const target = new EventTarget();
  const buffer = createKeyBuffer(target, vi.fn());
  buffer.start();
  for (const key of ['r', 'i', 'w', 'Backspace', 'v', 'é', 'Enter']) expect(press(target, key)).toBe(true);
  expect(buffer.take()).toEqual({ text: 'rivé', entered: true });
  expect(buffer.take()).toEqual(NO_KEYS);
  expect(press(target, 'x')).toBe(false);
});

test('ignores other keys and shortcuts', () => {
  const target = new EventTarget();
  const buffer = createKeyBuffer(target, vi.fn());
  buffer.start();
  expect([press(target, 'Tab'), press(target, 'Shift'), press(target, 'k', { ctrlKey: true })]).toEqual([
    false,
    false,
    false,
  ]);
  expect(buffer.take()).toEqual(NO_KEYS);
});

test('stops on Escape', () => {
  const target = new EventTarget();
  const onEscape = vi.fn();
  const buffer = createKeyBuffer(target, onEscape);
  buffer.start();
  press(target, 'r');
  press(target, 'Escape');
  expect(onEscape).toHaveBeenCalledOnce();
  expect(press(target, 'i')).toBe(false);
});
