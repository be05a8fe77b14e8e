import { expect, test } from 'vitest';
import type { Config } from '../core/config.ts';
import { createHttpState } from './state.ts';

test('once makes a shared value only once, and again after a failure', () => {
  const state = createHttpState({} as Config);
  let times = 0;
  const make = () => {
    times += 1;
    if (times === 1) throw new Error('not yet');
    return { times };
  };
  expect(() => state.once('docs', make)).toThrow('not yet');
  const first = state.once('docs', make);
  expect(state.once('docs', make)).toBe(first);
  expect(state.once('search', () => 'another')).toBe('another');
  expect(times).toBe(2);
});
