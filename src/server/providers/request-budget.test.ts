import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BudgetExhausted, createBudget } from './request-budget.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const bounds = { perSecond: 3, concurrent: 2, maxWaiting: 10, maxWaitMs: 5000 };

test('no second has more starts than allowed', async () => {
  const budget = createBudget({ ...bounds, concurrent: 10 });
  const starts: number[] = [];
  const all = Promise.all(
    Array.from({ length: 10 }, () => budget.run(async () => void starts.push(performance.now()))),
  );
  await vi.advanceTimersByTimeAsync(4000);
  await all;
  for (const at of starts) expect(starts.filter((other) => other >= at && other < at + 1000).length).toBeLessThan(4);
  expect(starts.at(-1)! - starts[0]!).toBeLessThan(3100);
});

test('what ran long counts until a second after its end', async () => {
  const budget = createBudget({ ...bounds, perSecond: 1 });
  const starts: number[] = [];
  const work = () =>
    budget.run(async () => {
      starts.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, 700));
    });
  const all = Promise.all([work(), work()]);
  await vi.advanceTimersByTimeAsync(4000);
  await all;
  expect(starts[1]! - starts[0]!).toBeGreaterThanOrEqual(1700);
});

test('no more than so many run at once, and urgent work goes first', async () => {
  const budget = createBudget({ ...bounds, perSecond: 100 });
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const work = (name: string, urgent = false) =>
    budget.run(() => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    }, urgent);
  const all = [work('a'), work('b'), work('c'), work('d', true)];
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a', 'b']);
  for (let end = 0; end < all.length; end += 1) {
    ends[end]!();
    await vi.advanceTimersByTimeAsync(0);
  }
  await Promise.all(all);
  expect(begun).toEqual(['a', 'b', 'd', 'c']);
});

test('who waits too long, or finds too many waiting, is told that nothing was begun', async () => {
  const budget = createBudget({ ...bounds, concurrent: 1, maxWaiting: 1 });
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const running = budget.run(() => held);
  const waiting = budget.run(async () => 'never');
  const refused = expect(waiting).rejects.toThrow(BudgetExhausted);
  await expect(budget.run(async () => 'never')).rejects.toThrow(BudgetExhausted);
  await vi.advanceTimersByTimeAsync(7000);
  await refused;
  end();
  await running;
  expect(await budget.run(async () => 'again')).toBe('again');
});

test('work that fails makes room as well', async () => {
  const budget = createBudget({ ...bounds, concurrent: 1 });
  await expect(budget.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await budget.run(async () => 'next')).toBe('next');
});
