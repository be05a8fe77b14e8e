import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BudgetExhausted, type BudgetLimits, createBudget, type TakeTurns, type TurnKind } from './request-budget.ts';
import type { Priority } from './scheduling-provider.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The state in PostgreSQL, in memory. */
function sharedTurns(processes = 1) {
  const nextAt: Record<TurnKind, number> = { read: 0, kept: 0 };
  const takes: number[] = [];
  const take: TakeTurns = async (kind, calls, perSecond) => {
    takes.push(calls);
    const from = Math.max(nextAt[kind], performance.now());
    nextAt[kind] = from + (calls * 1000) / perSecond;
    return { waitMs: from - performance.now(), processes };
  };
  const postpone = async (ms: number) => {
    for (const kind of ['read', 'kept'] as const) nextAt[kind] = Math.max(nextAt[kind], performance.now() + ms);
  };
  return { take, postpone, takes };
}

const bounds: BudgetLimits = { perSecond: 10, connections: 20, concurrent: 10, maxWaiting: 1000, maxWaitMs: 5000 };
const budgetOf = (more: Partial<BudgetLimits> = {}, turns = sharedTurns()) =>
  createBudget({ ...bounds, ...more }, turns);
const mostInASecond = (starts: number[]) =>
  Math.max(...starts.map((at) => starts.filter((other) => other >= at && other < at + 1000).length));

test('no second has more calls than allowed, across processes', async () => {
  const turns = sharedTurns(2);
  const starts: number[] = [];
  const all = [budgetOf({}, turns), budgetOf({}, turns)].flatMap((budget) =>
    Array.from({ length: 40 }, (_, n) =>
      budget.run(async () => void starts.push(performance.now()), { turn: n % 4 === 0 ? 'urgent' : 'interactive' }),
    ),
  );
  await vi.advanceTimersByTimeAsync(12_000);
  await Promise.all(all);
  expect(mostInASecond(starts)).toBeLessThanOrEqual(10);
  expect(starts.at(-1)! - starts[0]!).toBeLessThan(10_000);
});

test('one statement takes turns for several calls', async () => {
  const turns = sharedTurns();
  const budget = budgetOf({}, turns);
  const all = Promise.all(Array.from({ length: 80 }, () => budget.run(async () => {})));
  await vi.advanceTimersByTimeAsync(12_000);
  await all;
  expect(turns.takes.length).toBeLessThanOrEqual(80 / 4 + 1);
});

test('a process with many reads leaves turns to others', async () => {
  const turns = sharedTurns(2);
  const [much, little] = [budgetOf({}, turns), budgetOf({}, turns)];
  const all = Array.from({ length: 100 }, () => much.run(async () => {}));
  await vi.advanceTimersByTimeAsync(1000);
  const calledAt = performance.now();
  let readAt = 0;
  const read = little.run(async () => {
    readAt = performance.now();
  });
  await vi.advanceTimersByTimeAsync(20_000);
  await Promise.all([...all, read]);
  expect(readAt - calledAt).toBeLessThan(1_500);
});

test('a booking does not wait for reads, and has its share while other processes read', async () => {
  const turns = sharedTurns(2);
  const [reading, booking] = [budgetOf({}, turns), budgetOf({}, turns)];
  const reads = Array.from({ length: 30 }, () => reading.run(async () => {}));
  await vi.advanceTimersByTimeAsync(500);
  const calledAt = performance.now();
  let bookedAt = 0;
  const booked = booking.run(
    async () => {
      bookedAt = performance.now();
    },
    { turn: 'urgent' },
  );
  await vi.advanceTimersByTimeAsync(20_000);
  await Promise.all([...reads, booked]);
  expect(bookedAt - calledAt).toBeLessThan(20);
});

test('parties take turns, and background calls have a share', async () => {
  const budget = budgetOf();
  const served: string[] = [];
  const call = (party: string, turn: 'interactive' | 'background') =>
    budget.run(async () => void served.push(party), { party, turn });
  const all = [
    ...Array.from({ length: 40 }, () => call('large', 'interactive')),
    ...Array.from({ length: 3 }, () => call('small', 'interactive')),
    ...Array.from({ length: 3 }, () => call('warm', 'background')),
  ];
  await vi.advanceTimersByTimeAsync(30_000);
  await Promise.all(all);
  expect(served.lastIndexOf('small')).toBeLessThan(10);
  expect(served.lastIndexOf('warm')).toBeLessThan(14);
});

test.each([
  { processes: 1, reads: 8, most: 10 },
  { processes: 4, reads: 4, most: 5 },
  { processes: 20, reads: 1, most: 2 },
])(
  'with $processes processes, each runs $reads reads at once, and $most calls including bookings',
  async ({ processes, reads, most }) => {
    const budget = budgetOf({ perSecond: 1000 }, sharedTurns(processes));
    const ends: (() => void)[] = [];
    const start = (turn: Priority) =>
      Array.from({ length: 20 }, () => budget.run(() => new Promise<void>((end) => ends.push(end)), { turn }));
    const all = start('interactive');
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toHaveLength(reads);
    all.push(...start('urgent'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toHaveLength(most);
    while (ends.length < 40) {
      for (const end of ends.slice()) end();
      await vi.advanceTimersByTimeAsync(300);
    }
    for (const end of ends) end();
    await Promise.all(all);
  },
);

test('a party with a full queue blocks neither bookings nor other parties', async () => {
  const budget = budgetOf({ maxWaiting: 20 });
  const reads = Array.from({ length: 40 }, () => budget.run(async () => {}, { party: 'large' }));
  const settled = Promise.allSettled(reads);
  const others = (['urgent', 'interactive', 'background'] as const).map((turn) =>
    budget.run(async () => turn, { party: 'small', turn }),
  );
  // The party exceeds its share as soon as others wait.
  await expect(budget.run(async () => {}, { party: 'large' })).rejects.toThrow(BudgetExhausted);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await Promise.all(others)).toEqual(['urgent', 'interactive', 'background']);
  expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(20);
});

test('rejects without a start when a call waits too long or too many are waiting', async () => {
  const budget = budgetOf({ concurrent: 1, maxWaiting: 1, maxWaitMs: 500 });
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const running = budget.run(() => held);
  await vi.advanceTimersByTimeAsync(10);
  const waiting = budget.run(async () => 'never');
  const rejection = expect(waiting).rejects.toThrow(BudgetExhausted);
  await expect(budget.run(async () => 'never')).rejects.toThrow(BudgetExhausted);
  await vi.advanceTimersByTimeAsync(5000);
  await rejection;
  end();
  await running;
  const next = budget.run(async () => 'again');
  await vi.advanceTimersByTimeAsync(500);
  expect(await next).toBe('again');
});

test('makes no call for a second after "too many requests"', async () => {
  const turns = sharedTurns();
  const budget = budgetOf({}, turns);
  const first = budget.run(async () => {});
  await vi.advanceTimersByTimeAsync(10);
  await first;
  budget.backOff();
  const refusedAt = performance.now();
  let startedAt = 0;
  const next = budget.run(async () => {
    startedAt = performance.now();
  });
  await vi.advanceTimersByTimeAsync(3000);
  await next;
  expect(startedAt - refusedAt).toBeGreaterThanOrEqual(1000);
});

test('a failed call frees its place, and without turns no call is made', async () => {
  const budget = budgetOf({ concurrent: 1 });
  const failed = expect(budget.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(300);
  await failed;
  const next = budget.run(async () => 'next');
  await vi.advanceTimersByTimeAsync(300);
  expect(await next).toBe('next');
  const broken = createBudget(bounds, { ...sharedTurns(), take: () => Promise.reject(new Error('no database')) });
  await expect(broken.run(async () => 'never')).rejects.toThrow('no database');
});
