import type { BenchSetup } from './bench-setup.ts';
import type { Figures, Job } from './job.ts';
import { quantile } from './quantile.ts';

export type Outcome = {
  id: string;
  title: string;
  medians: Record<string, Figures>;
  repeats: Record<string, Figures[]>;
  goals: { words: string; value: number; met: boolean }[];
};

/** Measures the sides in turn, after one round of warm-up; `say` gets a line for each round. */
export async function runJob(
  job: Job,
  setup: BenchSetup,
  requested: number,
  say: (line: string) => void,
): Promise<Outcome> {
  const repeats = Math.min(requested, job.mostRepeats ?? requested);
  const { sides, goals, stop } = await job.prepare(setup);
  try {
    const all: Record<string, Figures[]> = Object.fromEntries(sides.map(({ name }) => [name, []]));
    for (let round = 0; round <= repeats; round++) {
      const startedAt = performance.now();
      for (const { name, measure } of sides) {
        const figures = await measure();
        if (round > 0) all[name]!.push(figures);
      }
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      say(`${job.id} ${round === 0 ? 'warm-up' : `repeat ${round} of ${repeats}`}, ${seconds} s`);
    }
    const medians = Object.fromEntries(Object.entries(all).map(([name, figures]) => [name, mediansOf(figures)]));
    const results = goals.map(({ words, of, holds }) => ({ words, value: of(medians), met: holds(of(medians)) }));
    return { id: job.id, title: job.title, medians, repeats: all, goals: results };
  } finally {
    await stop();
  }
}

const mediansOf = (all: Figures[]): Figures =>
  Object.fromEntries(
    Object.keys(all[0]!).map((name) => [
      name,
      quantile(
        all.map((one) => one[name]!),
        0.5,
      ),
    ]),
  );
