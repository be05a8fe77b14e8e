import { expect, test } from 'vitest';
import type { Config } from '../core/config.ts';
import { keepForDoors } from './kept.ts';

test('what is the same for everybody is made once, however many ask, and again after it failed', () => {
  const kept = keepForDoors({} as Config);
  let times = 0;
  const make = () => {
    times += 1;
    if (times === 1) throw new Error('not yet');
    return { times };
  };
  expect(() => kept.once('docs', make)).toThrow('not yet');
  const first = kept.once('docs', make);
  expect(kept.once('docs', make)).toBe(first);
  expect(kept.once('search', () => 'another')).toBe('another');
  expect(times).toBe(2);
});
